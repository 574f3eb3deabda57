import { readFile } from "node:fs/promises"
import path from "node:path"
import { afterAll, beforeAll, expect, it } from "vitest"
import { z } from "zod"
import { eventually } from "../../helpers/eventually.ts"
import { checkHistory } from "../../helpers/history/check-history.ts"
import { describeWith } from "../../helpers/needs.ts"
import { startChatModel } from "../../helpers/providers/chat-model.ts"
import { createChatText } from "../../helpers/providers/chat-wire.ts"
import type { FakeProvider } from "../../helpers/providers/fake-provider-server.ts"
import { installCommit } from "../../helpers/upgrade/install-commit.ts"
import {
  type Execution,
  findFailedTasks,
  readExecutions,
  replayExecutions,
} from "../../helpers/upgrade/read-executions.ts"
import { localAuthorization } from "../cli/program.ts"
import { type SessionsApi, createSessionsApi, type SessionState } from "../../helpers/upgrade/sessions-api.ts"
import {
  type RunningVersion,
  runVersion,
  startVersion,
  type InstalledVersion,
  upgradeDataDir,
} from "../../helpers/upgrade/start-version.ts"
import { type OpenReceiver, openReceiver, receiverSecret } from "../../helpers/http/webhook-receiver.ts"
import { type ModelCalls, type OldSessions, startMoving, startResting } from "./old-sessions.ts"
import { oldVersion } from "./old-version.ts"
import { type Acknowledged, noting, readUpgradeHistory } from "./upgrade-history.ts"
import { createUpgradeProject, type UpgradeProject } from "./upgrade-project.ts"

const needs = [
  { name: "the commit with which upgrades begin, which a shallow clone lacks", isAvailable: oldVersion !== undefined },
]

/** Everything that a user sees. */
interface Overview {
  readonly sessions: readonly SessionState[]
  readonly approvals: Awaited<ReturnType<SessionsApi["approvals"]>>
}

const overviewOf = async (api: SessionsApi): Promise<Overview> => ({
  sessions: (await api.sessions()).toSorted((a, b) => a.id.localeCompare(b.id)),
  approvals: await api.approvals(),
})

const deliveriesSchema = z.object({ items: z.array(z.object({ status: z.string() })) })

describeWith(needs, "sessions of the old version, after an upgrade", () => {
  const stack = new AsyncDisposableStack()
  let project: UpgradeProject
  let model: FakeProvider
  const released = Promise.withResolvers<void>()
  let webhooks: OpenReceiver
  let isReceiverDead = true
  let channel: OpenReceiver
  let newPlace: InstalledVersion
  let running: RunningVersion
  let api: SessionsApi
  let ids: OldSessions
  const told: Acknowledged = { messages: [], decisions: [], cancels: [] }
  /** The state under the old version, just before it is killed. */
  let before: Overview
  let executionsBefore: readonly Execution[]
  /** The state under the checkout, before anything is decided or released. */
  let after: Overview

  const openOutside = async (): Promise<void> => {
    model = await startChatModel(async () => {
      // Also for a turn that the new version begins before it is released.
      await released.promise
      return createChatText("Done: held.")
    })
    stack.defer(() => model.close())
    webhooks = await openReceiver(() => (isReceiverDead ? 503 : 204))
    stack.defer(() => webhooks.close())
    channel = await openReceiver()
    stack.defer(() => channel.close())
    const urls = { modelUrl: model.url, webhookUrl: webhooks.url, channelUrl: channel.url }
    project = await createUpgradeProject(urls)
    stack.defer(() => project.remove())
  }

  const asked: ModelCalls = (instruction) =>
    model.requests.filter(({ body }) => JSON.stringify(body["messages"]).includes(instruction)).length

  const apiOf = async ({ url }: RunningVersion): Promise<SessionsApi> =>
    noting(createSessionsApi(url, await localAuthorization(upgradeDataDir(project.cwd))), told)

  /** One old process exits on SIGTERM, the next on SIGKILL in the middle of its work. */
  const workWith = async (old: InstalledVersion): Promise<void> => {
    const first = await startVersion(old)
    const resting = await startResting(await apiOf(first), asked)
    expect(await first.stop()).toBe(0)
    const second = await startVersion(old)
    const oldApi = await apiOf(second)
    ids = { ...resting, ...(await startMoving(oldApi, project, asked)) }
    before = await overviewOf(oldApi)
    executionsBefore = await readExecutions(second.temporalAddress)
    await second.kill()
  }

  beforeAll(async () => {
    const root = await installCommit(oldVersion ?? "HEAD")
    await openOutside()
    const { cwd, env } = project
    const loader = await readFile(path.join(root, "config/load-config.ts"), "utf8")
    await project.configure(!loader.includes("ADJUTANT_TEST_TIMING"))
    await workWith({ root, cwd, env })
    await project.configure(false)
    newPlace = { root: path.resolve(import.meta.dirname, "../../.."), cwd, env }
    running = await startVersion(newPlace)
    stack.defer(() => running.kill())
    api = await apiOf(running)
    after = await overviewOf(api)
    isReceiverDead = false
    released.resolve()
  })
  afterAll(() => stack.disposeAsync())

  /** Adds the failed workflow tasks to the error of a failed wait: they are the usual cause. */
  const explain = async (error: unknown): Promise<never> => {
    const tasks = (await readExecutions(running.temporalAddress)).flatMap(findFailedTasks)
    throw new Error(`${String(error)}; failed workflow tasks: ${JSON.stringify(tasks.slice(0, 5))}`, { cause: error })
  }

  /** A session that has completed a run before may still show that run. */
  const completesWith = async (id: string, text: string): Promise<void> => {
    const isOver = ({ status, final_message }: SessionState) =>
      final_message === text || ["failed", "cancelled", "timed_out"].includes(status)
    const { status, final_message } = await api.waitUntil(id, isOver).catch(explain)
    const transcript = status === "completed" ? [] : await api.transcript(id)
    expect([status, final_message], JSON.stringify(transcript)).toEqual(["completed", text])
  }

  const outcomesOf = async (id: string) =>
    (await api.transcript(id)).flatMap(({ role, call_id: call, outcome }) => (role === "tool" ? [[call, outcome]] : []))

  it("are all unchanged", async () => {
    const isResting = ({ id }: SessionState) => id !== ids.batch
    expect(after.sessions.filter(isResting)).toEqual(before.sessions.filter(isResting))
    expect(after.approvals).toEqual(before.approvals)
    expect(await api.request("GET", "/readyz")).toMatchObject({ status: "ready", engine: "same", missing_sessions: 0 })
  })

  it("run what was approved, once", async () => {
    await api.decide(ids.approval)
    await completesWith(ids.approval, "Approved and run.")
    expect(await outcomesOf(ids.approval)).toEqual([["call_1", "ok"]])
    expect(await project.count("approval")).toBe(1)
  })

  it("are decided by a link that the old version issued", async () => {
    await api.request("POST", `/v1/approvals/${ids.token}`, { action: "accept" })
    await completesWith(ids.link, "Run by link.")
    expect(await project.count("link")).toBe(1)
  })

  it("keep the decisions on a half-decided batch", async () => {
    await api.decide(ids.halfDecided, { call_c: "accept" })
    await completesWith(ids.halfDecided, "One was rejected.")
    expect(await outcomesOf(ids.halfDecided)).toEqual([
      ["call_a", "ok"],
      ["call_b", "rejected"],
      ["call_c", "ok"],
    ])
    expect([await project.count("a"), await project.count("b"), await project.count("c")]).toEqual([1, 0, 1])
  })

  it("finish a half-executed batch: what ran does not run again", async () => {
    await completesWith(ids.batch, "The batch is done.")
    expect(await outcomesOf(ids.batch)).toEqual([
      ["call_a", "ok"],
      ["call_b", "unknown"],
      ["call_c", "ok"],
    ])
    const counts = [await project.count("before"), await project.count("during"), await project.count("after")]
    expect(counts).toEqual([1, 1, 1])
  })

  it("call the model again whose turn was interrupted", async () => {
    await completesWith(ids.heldTurn, "Done: held.")
    expect((await api.session(ids.heldTurn)).steps_taken).toBe(1)
  })

  it("accept the answer to a question", async () => {
    await api.send(ids.question, "to the left")
    await completesWith(ids.question, "Left it is.")
  })

  it("start the run that was queued behind a pause", async () => {
    await api.decide(ids.followUp)
    await completesWith(ids.followUp, "Second run done.")
    const transcript = await api.transcript(ids.followUp)
    expect(transcript.map(({ role, text, outcome }) => [role, text ?? outcome ?? null])).toEqual([
      ["user", "queue a follow-up"],
      ["assistant", null],
      ["tool", "ok"],
      ["assistant", null],
      ["user", "and then this"],
      ["assistant", null],
    ])
    expect(await project.count("follow-up")).toBe(1)
  })

  it("are cancelled, with their children", async () => {
    for (const id of [ids.cancelled, ids.doomed.id]) await api.request("POST", `/v1/sessions/${id}/cancel`)
    for (const id of [ids.cancelled, ids.doomed.id, ids.doomed.child])
      expect(await api.waitForStatus(id, "cancelled")).toMatchObject({ stop_reason: "cancelled" })
    expect([await project.count("cancelled"), await project.count("doomed")]).toEqual([0, 0])
  })

  it("run an approved program and an approved tool of an MCP server", async () => {
    await api.decide(ids.program)
    const shown = (await api.session(ids.bridge)).checkpoint_id
    await api.decide(ids.bridge)
    // The old version did not record how the server describes the tool: nothing can be compared, so that the call is asked about again.
    await api.waitUntil(ids.bridge, (state) => state.status === "paused" && state.checkpoint_id !== shown)
    await api.decide(ids.bridge)
    await completesWith(ids.program, "counted")
    await completesWith(ids.bridge, "Echo: hello bridge")
    expect(await project.count("program")).toBe(1)
  })

  it("continue after a continue-as-new", async () => {
    await api.decide(ids.long)
    await completesWith(ids.long, "Arrived.")
    expect(await api.session(ids.long)).toMatchObject({ steps_taken: 14 })
    expect(await project.count("long")).toBe(1)
  })

  it("accept a follow-up, and a fork, after they ended", async () => {
    const fork = await api.request("POST", `/v1/sessions/${ids.ended}/fork`, {
      at_step: 1,
      message: "and differently?",
    })
    await api.send(ids.ended, "and then?")
    await completesWith(ids.ended, "Second answer.")
    await completesWith(z.object({ id: z.string() }).parse(fork).id, "Second answer.")
  })

  it("give a queued sub-agent its slot, and a waiting parent the results", async () => {
    await completesWith(ids.line, "The line is through.")
    await completesWith(ids.queued, "Done: queued.")
    await completesWith(ids.coordinator, "The task has come back.")
    await completesWith(ids.queuedTask, "Done: task.")
  })

  it("report to their parent after their own pause is decided", async () => {
    await api.decide(ids.reader.child)
    await api.decide(ids.spawner.child)
    await completesWith(ids.reader.id, "Both parts are read.")
    await completesWith(ids.spawner.id, "Both have reported.")
    expect(await project.count("spawned")).toBe(1)
    const announced = (await api.transcript(ids.spawner.id)).filter(({ source }) => source === "announce")
    expect(announced).toHaveLength(2)
  })

  it("stay bound to their threads", async () => {
    expect(await api.writeInThread("idle", "and now?", receiverSecret)).toBe(ids.threadIdle)
    await api.decide(ids.threadPaused)
    await completesWith(ids.threadIdle, "Hello again in the thread.")
    await completesWith(ids.threadPaused, "Worked in the thread.")
    const texts = () => channel.effects.map(({ body }) => `${body.thread_key}: ${body.text}`)
    await eventually(() => texts().length === 4, { timeoutMs: 120_000 })
    expect(texts().toSorted()).toEqual([
      "idle: Hello again in the thread.",
      "idle: Hello in the thread.",
      "paused: Waiting for approval of: Bash.",
      "paused: Worked in the thread.",
    ])
  })

  it("announce what no receiver accepted before, once each", async () => {
    const list = async () => deliveriesSchema.parse(await runVersion(newPlace, "deliveries", "--limit", "1000")).items
    await eventually(async () => (await list()).every(({ status }) => status === "delivered"), { timeoutMs: 120_000 })
    const announced = webhooks.effects.map(({ body }) => body.result?.run_id ?? body.pause.checkpoint_id)
    expect(announced.length).toBe(new Set(announced).size)
    const paused = before.approvals.map(({ checkpoint_id }) => checkpoint_id)
    expect(announced).toEqual(expect.arrayContaining(paused))
  })

  it("end with one result for every call", async () => {
    const sessions = await api.sessions()
    expect(new Set(sessions.map(({ status }) => status))).toEqual(new Set(["completed", "cancelled"]))
    // The transcript of a program or a bridge contains its answer as a text.
    const withResults = sessions.filter(
      ({ id, status }) => status === "completed" && id !== ids.program && id !== ids.bridge,
    )
    for (const { id, title } of withResults) {
      const transcript = await api.transcript(id)
      const calls = transcript.flatMap(({ parts = [] }) => parts.flatMap(({ call }) => call?.id ?? []))
      const results = transcript.flatMap(({ call_id: call }) => call ?? [])
      expect(results.toSorted(), title ?? id).toEqual(calls.toSorted())
    }
    expect(await api.approvals()).toEqual([])
  })

  it("lose and double nothing that either version acknowledged", async () => {
    expect(told.cancels).toHaveLength(2)
    let violations: readonly string[] = []
    await eventually(async () => {
      violations = checkHistory(await readUpgradeHistory(project, running.temporalAddress, told))
      return violations.length === 0
    }).catch(() => undefined)
    expect(violations).toEqual([])
  })

  it("fail no workflow task, and every history replays", async () => {
    const ofLong = ({ workflowId }: Execution) => workflowId === `subagent/${ids.long}`
    expect(executionsBefore.filter(ofLong).length).toBeGreaterThan(1)
    const executions = await readExecutions(running.temporalAddress)
    expect(executions.flatMap(findFailedTasks)).toEqual([])
    await replayExecutions(executions)
    expect(await running.stop()).toBe(0)
  })
})
