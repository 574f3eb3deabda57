import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import { z } from "zod"
import type { ConfigInput } from "../../../contracts/config/config.ts"
import type { SessionRow } from "../../../store/store.ts"
import type { Tool } from "../../../tools/tool.ts"
import { describeInDeepRun } from "../../helpers/effort.ts"
import { eventually } from "../../helpers/eventually.ts"
import { createHeldModel, type HeldModel } from "../../helpers/models/held-model.ts"
import { engineLimits, type LimitedEngine, startLimitedEngine } from "../../helpers/engine/limited-engine.ts"
import { type Harness, openHarnessAt } from "../../helpers/engine/open-harness-at.ts"

// A pause woke for a long history, could not continue as new while children were running, and checked again
// without ever yielding.

const longHistory = 40
const actor = { by: "test", via: "cli" }
const writing = (file_path: string) => ["Write", { file_path, content: "x" }] as const

let engine: LimitedEngine
let harness: Harness
let model: HeldModel

beforeAll(async () => {
  engine = await startLimitedEngine({ [engineLimits.suggestContinueAsNewEvents]: longHistory })
})
afterAll(() => engine.stop())
afterEach(() => harness.close())

/** A tool that asks a person before it answers. */
const asking: Tool = {
  name: "Ask",
  description: "Asks a person.",
  input: z.strictObject({}),
  readOnly: true,
  idempotent: true,
  execute: async (_, { answered }) =>
    answered === undefined
      ? { content: "", question: { message: "Which one?", state: "s" } }
      : { content: `answered: ${answered.text}` },
}

const scripted = { provider: "scripted", script: "unused.yaml", maxOutputTokens: 1_000 } as const

const open = async (config: ConfigInput = {}): Promise<void> => {
  model = createHeldModel()
  harness = await openHarnessAt(engine.address, {
    model: model.provider,
    tools: [asking],
    config: {
      models: { main: scripted, light: scripted },
      agents: { general: { delegation: "sessions" } },
      subagents: { maxConcurrent: 1, maxChildrenPerAgent: 4 },
      ...config,
    },
  })
}

const replyTo: HeldModel["reply"] = (id, reply, times) => {
  const said = model.reply(id, reply, times)
  expect(said).toBe(true)
  return said
}
const untilAsked = (id: string) => eventually(() => model.isWaiting(id))
const rowOf = async (id: string): Promise<SessionRow> => (await harness.store.sessions.get(id))!
const waitForStatus = (id: string, status: string) => eventually(async () => (await rowOf(id)).status === status)
const childrenOf = async (id: string): Promise<readonly SessionRow[]> =>
  (await harness.store.sessions.list({ parentId: id, limit: 10 })).items.toSorted((left, right) =>
    left.createdAt.localeCompare(right.createdAt),
  )

const spawn = async (parentId: string, task: string): Promise<string> => {
  const before = await childrenOf(parentId)
  replyTo(parentId, { calls: [["sessions_spawn", { task }]] })
  await untilAsked(parentId)
  const [child] = (await childrenOf(parentId)).filter(({ id }) => before.every((other) => other.id !== id))
  return child!.id
}

interface Children {
  readonly running: string
  readonly paused: string
  readonly queued: string
}

/**
 * Creates three children in a lane of one: the first pauses and frees its slot for the second, behind which
 * the third queues.
 */
const spawnInEveryState = async (parentId: string): Promise<Children> => {
  const paused = await spawn(parentId, "pauses")
  await untilAsked(paused)
  replyTo(paused, { calls: [writing("child.txt")] })
  await waitForStatus(paused, "paused")
  const running = await spawn(parentId, "runs")
  await untilAsked(running)
  const queued = await spawn(parentId, "queues")
  await waitForStatus(queued, "pending")
  return { running, paused, queued }
}

const eventsOf = async (id: string) => (await harness.handle(id).fetchHistory()).events ?? []
const lengthOf = async (id: string): Promise<number> =>
  Number((await harness.handle(id).describe()).raw.workflowExecutionInfo?.historyLength)
const executionOf = async (id: string): Promise<string> => (await harness.handle(id).describe()).runId

/** Takes steps that cost events, until the engine suggests continue-as-new. */
const makeHistoryLong = async (id: string): Promise<void> => {
  while ((await lengthOf(id)) < longHistory + 5) {
    replyTo(id, { calls: [["LS", {}]] })
    await untilAsked(id)
  }
}

const expectEveryTaskCompleted = async (id: string): Promise<void> => {
  const events = await eventsOf(id)
  const bad = events.filter(
    ({ workflowTaskFailedEventAttributes: failed, workflowTaskTimedOutEventAttributes: timedOut }) =>
      failed != null || timedOut != null,
  )
  expect(bad).toEqual([])
}

/**
 * Lets another session of the same worker run while `id` waits, and expects that nothing is scheduled for
 * `id`.
 */
const expectOthersWork = async (id: string): Promise<void> => {
  await eventually(async () => {
    const { pendingWorkflowTask } = (await harness.handle(id).describe()).raw
    return pendingWorkflowTask == null
  })
  const before = await lengthOf(id)
  const other = await harness.start({ allowed_tools: ["LS"] })
  await untilAsked(other)
  replyTo(other, { calls: [["LS", {}]] }, 20)
  await untilAsked(other)
  replyTo(other, { text: "done" })
  await waitForStatus(other, "completed")
  expect(await lengthOf(id)).toBe(before)
  await expectEveryTaskCompleted(id)
  await expectEveryTaskCompleted(other)
}

const start = async (request: Parameters<Harness["start"]>[0] = {}): Promise<string> => {
  const id = await harness.start({ prompt: "PARENT", auto_approve: false, ...request })
  await untilAsked(id)
  return id
}

/** Ends every child; the paused one by a decision, which lets it into the lane before the queued one. */
const endChildren = async ({ running, paused, queued }: Children): Promise<void> => {
  await harness.client.decide({ sessionId: paused, all: { action: "accept" }, unlisted: "pending", actor })
  for (const id of [running, paused, queued]) {
    await untilAsked(id)
    replyTo(id, { text: `${id} is done` })
    await waitForStatus(id, "completed")
  }
}

/**
 * Gives every turn the same reply until the session has ended: the number of turns depends on how its
 * children's results arrive.
 */
const sayToTheEnd = (id: string, text: string): Promise<void> =>
  eventually(async () => {
    if (model.isWaiting(id)) model.reply(id, { text })
    return (await rowOf(id)).status === "completed"
  })

describe("a parent with a long history that waits for decisions", () => {
  it("yields while children run, pause and queue, applies each decision, and continues", async () => {
    await open()
    const id = await start()
    const children = await spawnInEveryState(id)
    await makeHistoryLong(id)
    const execution = await executionOf(id)
    replyTo(id, { calls: [writing("a.txt"), writing("b.txt")] })
    await waitForStatus(id, "paused")
    await expectOthersWork(id)

    const decide = (call: string, action: "accept" | "reject") =>
      harness.client.decide({ sessionId: id, decisions: { [call]: { action } }, unlisted: "pending", actor })
    const [first = "", second = ""] = (await harness.client.pending(id)).pending.flatMap((call) =>
      call.session_id === id ? [call.id] : [],
    )
    expect(await decide(first, "accept")).toMatchObject({ state: "applied" })
    await eventually(async () => (await harness.store.pauses.current(id))?.calls.length === 1)
    await expectOthersWork(id)
    expect(await decide(second, "reject")).toMatchObject({ state: "applied" })
    await untilAsked(id)
    expect(await executionOf(id)).toBe(execution)

    await endChildren(children)
    await sayToTheEnd(id, "all done")
    expect(await executionOf(id)).not.toBe(execution)
    const results = (await harness.client.messages(id)).flatMap(({ message }) =>
      message.role === "tool" && message.name === "Write" ? [message.outcome] : [],
    )
    expect(results).toEqual(["ok", "rejected"])
  })

  it("continues as new as soon as its last child has ended, and keeps its pause", async () => {
    await open()
    const id = await start()
    const children = await spawnInEveryState(id)
    await makeHistoryLong(id)
    const execution = await executionOf(id)
    replyTo(id, { calls: [writing("a.txt")] })
    await waitForStatus(id, "paused")
    const pause = await harness.store.pauses.current(id)
    await endChildren(children)
    await eventually(async () => (await executionOf(id)) !== execution)
    expect((await harness.store.pauses.current(id))?.checkpointId).toBe(pause?.checkpointId)
    const { checkpointId } = pause!
    await harness.client.decide({
      sessionId: id,
      checkpointId,
      all: { action: "accept" },
      unlisted: "pending",
      actor,
    })
    await sayToTheEnd(id, "all done")
    const announced = (await harness.client.messages(id)).filter(
      ({ message }) => message.role === "user" && message.source === "announce",
    )
    expect(announced).toHaveLength(3)
  })

  describeInDeepRun("and is steered", () => {
    it("is steered out of its pause", async () => {
      await open()
      const id = await start()
      const children = await spawnInEveryState(id)
      await makeHistoryLong(id)
      replyTo(id, { calls: [writing("a.txt")] })
      await waitForStatus(id, "paused")
      await expectOthersWork(id)
      await harness.client.send({ sessionId: id, text: "Leave it.", type: "steering", actor })
      await untilAsked(id)
      await endChildren(children)
      await sayToTheEnd(id, "left it")
    })
  })
})

describeInDeepRun("a parent with a long history that waits for an answer", () => {
  it("yields at a tool's question while children run, pause and queue", async () => {
    await open()
    const id = await start({ auto_approve: ["Ask"] })
    const children = await spawnInEveryState(id)
    await makeHistoryLong(id)
    replyTo(id, { calls: [["Ask", {}]] })
    await waitForStatus(id, "paused")
    await expectOthersWork(id)
    await harness.client.send({ sessionId: id, text: "that one", type: "message", actor })
    await untilAsked(id)
    await endChildren(children)
    await sayToTheEnd(id, "asked")
    const { message } = (await harness.client.messages(id)).findLast((row) => row.message.role === "tool")!
    expect(message).toMatchObject({ name: "Ask", content: "answered: that one" })
  })

  it("yields when its budget is used up while a child runs", async () => {
    await open({ subagents: { maxConcurrent: 0, maxChildrenPerAgent: 1 } })
    const id = await start({ pause_on_approval: true, budget_tokens: 120_000, allowed_tools: ["LS"], max_steps: 200 })
    const child = await spawn(id, "runs")
    await untilAsked(child)
    replyTo(id, { calls: [["LS", {}]] }, 200)
    await waitForStatus(id, "paused")
    expect(await lengthOf(id)).toBeGreaterThan(longHistory)
    await expectOthersWork(id)
    const wider = { budget_tokens: 500_000 }
    await harness.client.send({ sessionId: id, text: "Continue.", type: "message", limits: wider, actor })
    await waitForStatus(id, "running")
    await harness.client.cancel(id, actor)
    await waitForStatus(child, "cancelled")
  })
})
