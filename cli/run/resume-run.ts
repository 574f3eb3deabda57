import { wrongUsage } from "../program/wrong-usage.ts"
import type { OutputSchema } from "../../contracts/run/output-schema.ts"
import type { Sent } from "../../sessions/send-request.ts"
import type { Session } from "../../contracts/session/session.ts"
import { namedApprovalText } from "../../domain/calls/apply-decision.ts"
import { isFinal } from "../../domain/run/is-final.ts"
import { applyResumption, type Resumption, type ResumptionRequest } from "./apply-resumption.ts"
import type { CliContext } from "../program/cli-context.ts"
import { concludeRun } from "./conclude-run.ts"
import { flaggedDecisions } from "./decision-flags.ts"
import type { ExitCode } from "../terminal/exit-code.ts"
import { isWatched } from "./follow-options.ts"
import { findTarget } from "../program/target-command.ts"
import { orInterrupted } from "../terminal/interrupts.ts"
import { erasePauseManifest } from "./keep-pause-manifest.ts"
import { printOutcome, startedDocument } from "../text/print-result.ts"
import { readEdits } from "./input/read-edits.ts"
import { readOutputSchema } from "./input/read-output-schema.ts"
import { readPrompt } from "./input/read-prompt.ts"
import { optionFlags, runOptionsOf, type RunFlags } from "./run-flags.ts"
import type { CommandContext, TaskHost } from "../host/hosts.ts"
import { warnOfOtherDecision } from "./warn-of-other-decision.ts"
import { withHost } from "../host/with-host.ts"

export interface ResumeCall {
  readonly target: string
  /** The task whose children a target like #2 means. */
  readonly parent?: string | undefined
  readonly text: string | undefined
  readonly flags: RunFlags
}

/** Runs `adjutant resume` and `adjutant run -c`: decisions for a pause, an answer to it, or the next instruction of a completed session. */
export const resumeRun = async (
  context: CommandContext,
  { target, parent, text: argument, flags }: ResumeCall,
): Promise<ExitCode> => {
  refuseStartFlags(flags)
  const text = await orInterrupted(context.interrupts, readPrompt(context, argument, flags.promptFile))
  const edits = await readEdits(context, flags)
  const outputSchema = await readOutputSchema(context, flags.outputSchema)
  const given = resumptionOf({ ...flags, ...edits }, text, outputSchema)
  if (given === undefined && !canAsk(context, flags)) return await refuseWithout(context, parent ?? target)
  return withHost(
    context,
    "tasks",
    async (host) => {
      const sessionId = await findTarget(host.client, target, parent)
      const found = await host.client.info(sessionId)
      refuseOtherAgent(found, flags)
      const directory = flags.cwd === undefined ? undefined : host.resolveDirectory(flags.cwd)
      const isReleased = await host.prepareResume({ rootId: found.root_session_id, directory })
      const session = await host.client.info(sessionId)
      // A target like #2 or a label names the session as a whole.
      const named = await host.client.inspectTarget(parent === undefined ? target : sessionId)
      const resumption = given ?? (await askedResumption(context, session, flags))
      const request = {
        target: named,
        session,
        resumption: isReleased ? continuing(host, session, resumption) : resumption,
      }
      return flags.detach === true
        ? resumeDetached(context, host, request)
        : resumeAndFollow(context, host, request, flags)
    },
    { target: parent ?? target },
  )
}

const resumptionOf = (
  flags: RunFlags,
  text: string | undefined,
  outputSchema: OutputSchema | undefined,
): Resumption | undefined => {
  const decisions = flaggedDecisions(flags)
  if (decisions !== undefined && text !== undefined)
    throw wrongUsage("decisions (--approve, --reject …) and a text exclude each other: pass one of the two")
  if (text !== undefined) return textResumption(text, flags, outputSchema)
  if (decisions === undefined && outputSchema === undefined && givenFlags(flags).length === 0) return undefined
  if (decisions === undefined) throw nothingGiven()
  if (outputSchema !== undefined)
    throw wrongUsage("--output-schema requires a text: a run that continues after a decision keeps its own")
  const [flag] = givenFlags(flags)
  if (flag !== undefined)
    throw wrongUsage(`${flag} requires a text: a run that continues after a decision keeps its limits`)
  return { kind: "decisions", ...decisions }
}

const textResumption = (text: string, flags: RunFlags, outputSchema?: OutputSchema): Resumption => {
  const approval = flags.pauseOnApproval === true ? { auto_approve: false, pause_on_approval: true } : {}
  return { kind: "text", text, limits: { ...runOptionsOf(flags), ...approval, output_schema: outputSchema } }
}

const nothingGiven = () =>
  wrongUsage(
    "a decision or a text is required: pass --approve <id>, --reject <id>, --edit <id>=<arguments>, --approve-all, --reject-all, or a text",
  )

/** Returns whether the person at the terminal can be asked what the command was not told. */
const canAsk = ({ person, options }: CliContext, flags: RunFlags): boolean =>
  person !== undefined && options.output === "text" && flags.detach !== true

/** Refuses a command without a decision or a text, and before that a task that does not exist. */
const refuseWithout = (context: CommandContext, target: string): Promise<ExitCode> =>
  withHost(
    context,
    "reading",
    async ({ client }) => {
      await client.inspectTarget(target)
      throw nothingGiven()
    },
    { mustExist: true },
  )

/** Asks the person for the next instruction of a task that has ended. An open task needs none: it is followed, and its pauses ask. */
const askedResumption = async (context: CliContext, session: Session, flags: RunFlags): Promise<Resumption> => {
  if (!isFinal(session.status)) return { kind: "continue", runId: session.run_id ?? "" }
  const text = (await context.person?.ask(`Next instruction for ${session.id} (empty: none): `))?.trim() ?? ""
  if (text === "") throw wrongUsage("there is no next instruction: the task stays as it is")
  return textResumption(text, flags)
}

/** Returns the flags that were given and set options of a run. */
const givenFlags = (flags: RunFlags, but: readonly string[] = []): readonly string[] =>
  Object.entries(optionFlags).flatMap(([name, flag]) =>
    Object.hasOwn(runOptionsOf(flags), name) && !but.includes(name) ? [flag] : [],
  )

const startFlags = ["sandbox", "unconfined", "title", "label"] as const

const refuseStartFlags = (flags: RunFlags): void => {
  const flag = startFlags.find((name) => flags[name] !== undefined)
  if (flag !== undefined) throw wrongUsage(`--${flag} is for a new task: a resumed task keeps its own`)
}

/** A task that came with a moved data directory in the middle of a run continues by itself once it is released. */
const continuing = (host: TaskHost, { id, status, run_id: runId }: Session, resumption: Resumption): Resumption => {
  if (runId === null || status === "paused" || isFinal(status)) return resumption
  host.warn(`task ${id} was running when it was moved: it continues, and gets no message`)
  return { kind: "continue", runId }
}

const refuseOtherAgent = (session: Session, flags: RunFlags): void => {
  if (flags.agent !== undefined && flags.agent !== session.agent)
    throw wrongUsage(`--agent ${flags.agent} does not match: task ${session.id} runs as ${session.agent}`)
}

/** Removes the manifest of the pause that was decided: a document names the task that was followed, which can be the root. */
const eraseManifests = async (host: TaskHost, { session }: ResumptionRequest): Promise<void> => {
  const cwd = host.manifestDirectory(session.cwd)
  for (const id of new Set([session.id, session.root_session_id])) await erasePauseManifest(host, { cwd, id })
}

const resumeDetached = async (context: CliContext, host: TaskHost, request: ResumptionRequest): Promise<ExitCode> => {
  await host.handOver(request.session.root_session_id, "leave")
  const sent = await applyResumption(host, request)
  const { runId, protectedPending } = sent
  warnOfLeft(host, sent)
  if (protectedPending === undefined) await eraseManifests(host, request)
  printOutcome(context, startedDocument({ sessionId: request.session.id, runId }), { isContinued: true })
  return 0
}

const resumeAndFollow = async (
  context: CliContext,
  host: TaskHost,
  request: ResumptionRequest,
  flags: RunFlags,
): Promise<ExitCode> => {
  const { session } = request
  warnOfKeptLimits(host, request, flags)
  const rootId = await followedRoot(host, session)
  const cwd = host.manifestDirectory(session.cwd)
  await host.handOver(session.root_session_id, "follow")
  const { last_event_id: afterEvent } = await host.client.inspectTarget(rootId)
  const sent = await applyResumption(host, request)
  const { runId, state } = sent
  warnOfLeft(host, sent)
  // Where the person is still to be asked, the pause lasts.
  if (request.resumption.kind !== "continue") await eraseManifests(host, request)
  const exitCode = await concludeRun(context, host, {
    sessionId: rootId,
    runId,
    afterEvent,
    cwd,
    flags,
    watch: isWatched(context, flags),
    pendingCalls: session.pause_reason?.pending_tool_calls ?? [],
    onInterrupt: flags.detachOnSignal === true ? "leave" : "cancel",
  })
  if (state === "accepted") await warnOfOtherDecision(host, session, request.resumption)
  return exitCode
}

const warnOfLeft = (
  host: TaskHost,
  { protectedPending, counted = [], undecided }: Pick<Sent, "protectedPending" | "counted" | "undecided">,
): void => {
  for (const missing of counted) host.warn(`the approval counts, and the call still waits: ${missing}`)
  if (protectedPending !== undefined) host.warn(namedApprovalText(protectedPending))
  if (undecided !== undefined)
    host.warn(`not decided, because their tasks have moved on since the checkpoint was shown: ${undecided.join(", ")}`)
}

/** Warns of limits that do not apply: an answer continues the run that asked, and can raise only its budget. */
const warnOfKeptLimits = (host: TaskHost, { session, resumption }: ResumptionRequest, flags: RunFlags): void => {
  if (resumption.kind !== "text" || session.pause_reason?.type !== "input_required") return
  const kept = givenFlags(flags, ["budget_usd", "budget_tokens", "context"])
  if (kept.length === 0) return
  host.warn(`the run that gets this answer keeps its limits: ${kept.join(", ")} applies to a new run only`)
}

/** Returns the session to follow: the root of the tree while it is open, because the child continues it. */
const followedRoot = async ({ client }: TaskHost, session: Session): Promise<string> => {
  if (session.root_session_id === session.id) return session.id
  const root = await client.info(session.root_session_id).catch(() => undefined)
  return root === undefined || isFinal(root.status) ? session.id : root.id
}
