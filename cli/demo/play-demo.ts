import { readFile } from "node:fs/promises"
import path from "node:path"
import { setTimeout as delay } from "node:timers/promises"
import { counted } from "../../domain/text/figures.ts"
import type { OutcomeDocument } from "../../contracts/session/outcome-document.ts"
import { reportDuring, reportWait } from "../../server/process/report-wait.ts"
import { commandLineActor } from "../../service/command-line-actor.ts"
import type { CliContext } from "../program/cli-context.ts"
import { withWords } from "../program/place-flags.ts"
import { followRun } from "../run/follow-run.ts"
import type { FollowOptions } from "../run/follow-options.ts"
import { Interrupted, orInterrupted } from "../terminal/interrupts.ts"
import type { SessionHost } from "../host/hosts.ts"
import { shareScreen } from "../terminal/screen.ts"
import { pendingCallLines } from "../text/approval-text.ts"
import { usageWithCost } from "../text/figures.ts"
import type { PausedDocument } from "../text/outcome-text.ts"
import { plainText } from "../terminal/plain-text.ts"
import { timelineText } from "../text/timeline-text.ts"
import type { DemoScratch } from "./demo-scratch.ts"
import { type DemoWorker, startDemoWorker } from "./demo-worker.ts"
import type { Narrator } from "./narrator.ts"

export interface DemoStage {
  readonly context: CliContext
  readonly host: SessionHost
  readonly scratch: DemoScratch
  readonly narrator: Narrator
  /** Use the written conversation even if a key is set. */
  readonly offline: boolean
}

const prompt =
  "Survey this project: list its files with Glob, find with Grep where it mentions durability, read package.json, then write a short report to REPORT.md with Write."

/** Plays the demo: a running agent, the crash of its worker during a call, another worker, a pause, the approval, the report. */
export const playDemo = async (stage: DemoStage): Promise<OutcomeDocument> => {
  const { narrator } = stage
  await bundleFirst(stage)
  const first = await startWorker(stage, "Starting a worker in a separate process")
  let second: DemoWorker | undefined
  try {
    const sessionId = await startSurvey(stage)
    const following = follow(stage, sessionId, { afterEvent: 0 })
    await Promise.race([untilSecondStep(stage, sessionId), following])
    narrator.step(`Killing the worker while the model answers: SIGKILL to process ${first.pid}`)
    await first.kill()
    const { status } = await stage.host.client.info(sessionId)
    narrator.detail(
      `Process ${first.pid} has ended. The task is still "${status}": its state is in Temporal and the store, not in a process.`,
    )
    second = await startWorker(stage, "Starting another worker, which asks the model again")
    const paused = await following
    if (paused.outcome !== "paused") {
      narrator.detail(
        "The agent finished without a call that needs approval, so there is nothing to approve this time.",
      )
      return paused
    }
    showPause(stage, paused)
    const finished = await approve(stage, sessionId, paused)
    await showEnd(stage, sessionId, finished)
    return finished
  } finally {
    await Promise.all([first.kill(), second?.stop()])
  }
}

const readEventsEveryMs = 50

/** Waits until the model is asked for the second time: its first answer and the results of its calls are stored then. */
const untilSecondStep = async ({ context, host }: DemoStage, sessionId: string): Promise<void> => {
  for (;;) {
    const { events } = await host.store.events.read(sessionId, { after: 0, limit: 10_000 })
    if (events.filter(({ type }) => type === "step-started").length > 1) return
    await orInterrupted(context.interrupts, delay(readEventsEveryMs))
  }
}

/** Bundles the workflows first: the first time, that takes longer than a worker can take to start. */
const bundleFirst = async ({ context, narrator }: DemoStage): Promise<void> => {
  const { findWorkflowBundle } = await import("../../worker/workflow-bundle.ts")
  await orInterrupted(
    context.interrupts,
    findWorkflowBundle(context.env, (line) => narrator.detail(line)),
  )
}

const startWorker = async ({ context, scratch, narrator }: DemoStage, text: string): Promise<DemoWorker> => {
  narrator.step(text)
  const starting = startDemoWorker(scratch, context.env)
  const report = reportWait(5_000, (elapsedMs) => narrator.detail(`not ready yet … ${Math.floor(elapsedMs / 1000)} s`))
  const worker = await reportDuring(report, orInterrupted(context.interrupts, starting)).catch(
    async (error: unknown) => {
      await starting.then((late) => late.kill()).catch(() => undefined)
      throw error
    },
  )
  narrator.detail(`process ${worker.pid} is ready`)
  return worker
}

const startSurvey = async ({ host, scratch, narrator, offline }: DemoStage): Promise<string> => {
  const main = offline ? undefined : host.loaded.models["main"]
  const modelText =
    main === undefined ? "a written conversation replaces the model: no key, no network" : `the model is ${main.model}`
  narrator.step(`Starting an agent that surveys ${scratch.fileCount} of this project's files (${modelText})`)
  const { sessionId } = await host.client.start({
    prompt,
    cwd: scratch.project,
    title: "Survey of this project",
    model: main === undefined ? "demo" : "main",
    allowed_tools: ["Glob", "Grep", "Read", "Write"],
    auto_approve: false,
    pause_on_approval: false,
    max_steps: 20,
    budget_tokens: 400_000,
  })
  narrator.detail(`task ${sessionId}`)
  return sessionId
}

const follow = async (
  { context, host, narrator }: DemoStage,
  sessionId: string,
  past: Pick<FollowOptions, "afterEvent" | "pendingCalls">,
): Promise<OutcomeDocument> => {
  const { stderr, screen } = shareScreen({ stdout: context.io.stdout, stderr: narrator.details })
  const narrated: CliContext = {
    ...context,
    io: { ...context.io, stderr, screen },
    options: { ...context.options, output: "text" },
  }
  const options = { sessionId, ...past, watch: true, isContinued: true, onInterrupt: "leave" } as const
  const { document } = await followRun(narrated, host, options)
  // The temporary directory is removed, and the run with it.
  if (document === undefined) throw new Interrupted(context.interrupts.received() ?? "SIGTERM")
  return document
}

const showPause = ({ narrator }: DemoStage, document: PausedDocument): void => {
  narrator.step(
    "The agent requests a change to a file, and the approval policy requires a decision. Until then, nothing is written:",
  )
  for (const call of document.pause_reason.pending_tool_calls ?? [])
    for (const line of pendingCallLines(call)) narrator.detail(line)
}

/** Lets the person at the terminal decide from elsewhere. Returns whether the call is still to be decided. */
const letDecide = async (
  { context, host, scratch, narrator }: DemoStage,
  { task_id: taskId, checkpoint_id: checkpointId, resume_hint: hint }: PausedDocument,
): Promise<boolean> => {
  if (context.person === undefined) return true
  const place = ["--config", scratch.configFile, "--data-dir", scratch.dataDir]
  narrator.detail(`to decide yourself, in another terminal: ${withWords(hint, place)}`)
  await context.person.discardTyped()
  await context.person.ask("     Press Enter when you have decided, or to have the demo approve it: ")
  return (await host.client.info(taskId)).checkpoint_id === checkpointId
}

const approve = async (stage: DemoStage, sessionId: string, paused: PausedDocument): Promise<OutcomeDocument> => {
  const { host, narrator } = stage
  const lastEventId = await host.store.events.lastId(sessionId)
  if (await letDecide(stage, paused)) {
    narrator.step("Approving the call; the run continues where it paused")
    await host.client.decide({
      sessionId,
      checkpointId: paused.checkpoint_id,
      all: { action: "accept" },
      unlisted: "reject",
      actor: commandLineActor(),
    })
  } else narrator.step("You have decided; the run continues where it paused")
  return follow(stage, sessionId, {
    afterEvent: lastEventId,
    pendingCalls: paused.pause_reason.pending_tool_calls ?? [],
  })
}

const showEnd = async (
  { host, scratch, narrator }: DemoStage,
  sessionId: string,
  document: OutcomeDocument,
): Promise<void> => {
  if (document.outcome !== "completed") return
  narrator.step("The report that the agent wrote")
  const report = await readFile(path.join(scratch.project, "REPORT.md"), "utf8").catch(
    () => "(REPORT.md was not written)",
  )
  for (const line of plainText(report).trimEnd().split("\n")) narrator.detail(`│ ${line}`.trimEnd())
  narrator.step("The event log of the task")
  const { events } = await host.store.events.read(sessionId, { after: 0, limit: 10_000 })
  narrator.detail(timelineText(events))
  narrator.step("Usage")
  narrator.detail(`${counted(document.steps_taken, "step")} · ${usageWithCost(document.usage)}`)
}
