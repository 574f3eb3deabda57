import { setTimeout as thinkTime } from "node:timers/promises"
import { WorkflowNotFoundError } from "@temporalio/client"
import { afterEach, describe, expect, it } from "vitest"
import { laneWorkflowId } from "../../domain/engine/engine-names.ts"
import { describeInDeepRun, isDeep } from "../helpers/effort.ts"
import { eventually } from "../helpers/eventually.ts"
import type { ModelRequest } from "../../models/model-provider.ts"
import type { RunRow, Store } from "../../store/store.ts"
import { createFakeModel } from "../helpers/models/fake-model.ts"
import {
  treatAsSubAgents,
  createGates,
  getLaneHandle,
  queryLane,
  waitUntilQueued,
} from "../helpers/engine/lane-harness.ts"
import { wrapStore } from "../helpers/store/wrap-store.ts"
import { type Harness, type HarnessOptions, openHarness, replayHistories } from "../helpers/engine/workflow-harness.ts"

let harness: Harness
let gates: ReturnType<typeof createGates>
const actor = { by: "test", via: "cli" }

const open = async (maxConcurrent: number, options: Partial<HarnessOptions> = {}): Promise<Harness> => {
  gates = createGates()
  harness = await openHarness({
    model: gates.model,
    workerStore: treatAsSubAgents,
    ...options,
    config: {
      subagents: { maxConcurrent },
      ...options.config,
      timing: { laneCheckMs: 100, laneRetryMs: 2_000, ...options.config?.timing },
    },
  })
  return harness
}

const replayLane = async (): Promise<void> => {
  try {
    await getLaneHandle(harness).describe()
    await replayHistories(harness.temporal, [laneWorkflowId(harness.taskQueue)])
  } catch (error) {
    if (!(error instanceof WorkflowNotFoundError)) throw error
  }
}

afterEach(async () => {
  await replayLane()
  await getLaneHandle(harness)
    .terminate()
    .catch(() => undefined)
  await harness.close()
})

const start = (prompt: string) => harness.start({ prompt })

/** Starts one after another, so that their order is known. */
const startInOrder = async (names: readonly string[], queuedBefore: readonly string[] = []): Promise<string[]> => {
  const ids: string[] = []
  for (const name of names) {
    ids.push(await start(name))
    await waitUntilQueued(harness, [...queuedBefore, ...ids])
  }
  return ids
}

const statusOf = async (id: string) => (await harness.client.info(id)).status

const detailsOf = async (id: string): Promise<string> =>
  (await harness.handle(id).query<{ currentDetails?: string }>("__temporal_workflow_metadata")).currentDetails ?? ""

describe("the lane", () => {
  it.each(isDeep ? [1, 2] : [2])("lets %i sub-agents run at once, first in first out", async (capacity) => {
    await open(capacity)
    const first = Array.from({ length: capacity }, (_, index) => `first${index}`)
    for (const name of first) {
      await start(name)
      await gates.waitUntilStarted(`${name}.1`)
    }
    const names = ["a", "b", "c", "d"]
    const ids = await startInOrder(names)
    expect((await queryLane(harness)).holders).toHaveLength(capacity)
    await gates.pass("first0")
    for (const [index, name] of names.entries()) {
      await gates.waitUntilStarted(`${name}.1`)
      await gates.pass(name)
      await eventually(async () => (await statusOf(ids[index] ?? "")) === "completed")
    }
    for (const name of first.slice(1)) await gates.pass(name)
    expect(gates.started.slice(capacity)).toEqual(names.map((name) => `${name}.1`))
    expect(gates.mostAtOnce()).toBe(capacity)
  })

  it("shows which sessions are queued, in its own query and in each session's details", async () => {
    await open(1)
    const holder = await start("holder")
    await gates.waitUntilStarted("holder.1")
    const [a = "", b = ""] = await startInOrder(["a", "b"])
    await eventually(async () => (await detailsOf(b)).includes("**Queued:**"))
    await eventually(async () => (await statusOf(b)) === "pending")
    expect(await detailsOf(b)).toContain("**Status:** pending")
    expect(await queryLane(harness)).toEqual({
      capacity: 1,
      holders: [`subagent/${holder}`],
      queued: [
        { workflow_id: `subagent/${a}`, position: 1, resumes: false },
        { workflow_id: `subagent/${b}`, position: 2, resumes: false },
      ],
      queued_total: 2,
    })
    await gates.pass("holder")
    await eventually(async () => (await statusOf(a)) === "running")
    await waitUntilQueued(harness, [b])
    await gates.pass("a")
    await gates.pass("b")
    expect(await harness.client.wait(b)).toMatchObject({ outcome: "completed", final_message: "b is done" })
    await eventually(async () => (await queryLane(harness)).holders.length === 0)
  })

  it("gives the slot of a session that pauses to the next one, and lets it resume before those that start", async () => {
    await open(1)
    const asks = await harness.start({ prompt: "asks", auto_approve: false, pause_on_approval: true })
    await gates.waitUntilStarted("asks.1")
    const [a = "", b = ""] = await startInOrder(["a", "b"])
    await gates.pass("asks")
    await gates.waitUntilStarted("a.1")
    await eventually(async () => (await statusOf(asks)) === "paused")
    await harness.client.send({ sessionId: asks, text: "that one", type: "message", actor })
    await waitUntilQueued(harness, [asks, b])
    await eventually(async () => (await statusOf(asks)) === "pending")
    await gates.pass("a")
    await gates.pass("asks")
    expect(await harness.client.wait(asks)).toMatchObject({ outcome: "completed", final_message: "done" })
    await gates.pass("b")
    await harness.client.wait(b)
    expect(gates.started).toEqual(["asks.1", "a.1", "asks.2", "b.1"])
    expect(await statusOf(a)).toBe("completed")
  })

  it("grants slots in the order in which the runs were accepted, however late a request arrives", async () => {
    const names = ["1", "2", "3", "4"]
    const held = new Map<string, () => void>()
    const holdTickets = (store: Store): Store =>
      wrapStore(store, async (method, _, call) => {
        const answer = (await call()) as RunRow | undefined
        if (method !== "runs.get" || answer === undefined) return answer
        const title = (await store.sessions.get(answer.sessionId))?.title ?? ""
        if (names.includes(title) && !held.has(title)) await new Promise<void>((resolve) => held.set(title, resolve))
        return answer
      })
    const spawning = createFakeModel(async (_, turn) => {
      if (turn > 2) return { text: "I wait." }
      if (turn === 2) await gates.waitUntilStarted("holder.1")
      return { calls: (turn === 1 ? ["holder"] : names).map((task) => ["sessions_spawn", { task }] as const) }
    })
    const isOfRoot = ({ messages: [first] }: ModelRequest) => first?.role === "user" && first.text === "root"
    await open(1, {
      model: { respond: (request) => (isOfRoot(request) ? spawning : gates.model).respond(request) },
      workerStore: holdTickets,
    })
    const root = await start("root")
    await eventually(() => held.size === names.length)
    for (const [index, name] of names.toReversed().entries()) {
      held.get(name)?.()
      await eventually(async () => (await queryLane(harness)).queued_total === index + 1)
    }
    for (const name of ["holder", ...names]) await gates.pass(name)
    await harness.client.wait(root)
    expect(gates.started).toEqual(["holder.1", ...names.map((name) => `${name}.1`)])
  })

  it("frees the slot of a session that was terminated", async () => {
    await open(1)
    const holder = await start("holder")
    await gates.waitUntilStarted("holder.1")
    const [next = ""] = await startInOrder(["next"])
    await harness.handle(holder).terminate()
    await gates.pass("next")
    expect(await harness.client.wait(next)).toMatchObject({ outcome: "completed" })
  })

  it("skips a session that was terminated while it was queued", async () => {
    await open(1)
    await start("holder")
    await gates.waitUntilStarted("holder.1")
    const [dead = "", next = ""] = await startInOrder(["dead", "next"])
    await harness.handle(dead).terminate()
    await gates.pass("holder")
    await gates.pass("next")
    expect(await harness.client.wait(next)).toMatchObject({ outcome: "completed" })
    expect(gates.started).toEqual(["holder.1", "next.1"])
  })

  it("cancels a session that is queued", async () => {
    await open(1)
    const holder = await start("holder")
    await gates.waitUntilStarted("holder.1")
    const [a = "", b = ""] = await startInOrder(["a", "b"])
    await eventually(async () => (await statusOf(a)) === "pending")
    expect(await harness.client.cancel(a, actor)).toEqual({ status: "cancelled" })
    await waitUntilQueued(harness, [b])
    await gates.pass("holder")
    await gates.pass("b")
    await harness.client.wait(b)
    await harness.client.wait(holder)
    expect(await statusOf(a)).toBe("cancelled")
    expect(gates.started).toEqual(["holder.1", "b.1"])
  })

  it("keeps the order when the worker stops and starts again", async () => {
    await open(1, { shutdownGraceMs: 100, config: { timing: { heartbeatTimeoutMs: 1_000 } } })
    await start("holder")
    await gates.waitUntilStarted("holder.1")
    const ids = await startInOrder(["a", "b", "c"])
    await harness.stopWorker()
    await harness.startWorker()
    await waitUntilQueued(harness, ids)
    for (const name of ["holder", "a", "b", "c"]) await gates.pass(name)
    await Promise.all(ids.map((id) => harness.client.wait(id)))
    const order = gates.started.filter((turn) => !turn.startsWith("holder"))
    expect(order).toEqual(["a.1", "b.1", "c.1"])
  })

  describeInDeepRun("with much to do", () => {
    it("continues as new without losing a session, and so do those that are queued", async () => {
      await open(1, { config: { timing: { continueAsNewAfterEvents: 40, laneRetryMs: 50, laneCheckMs: 400 } } })
      await start("holder")
      await gates.waitUntilStarted("holder.1")
      const names = Array.from({ length: 4 }, (_, index) => `n${index}`)
      const ids = await startInOrder(names)
      const runs = async (workflowId: string): Promise<number> => {
        let count = 0
        for await (const run of harness.temporal.workflow.list({ query: `WorkflowId = "${workflowId}"` }))
          count += run.runId === "" ? 0 : 1
        return count
      }
      await eventually(async () => (await runs(`lane/${harness.taskQueue}`)) > 1)
      await eventually(async () => (await runs(`subagent/${ids[3]}`)) > 1)
      for (const name of ["holder", ...names]) await gates.pass(name)
      await Promise.all(ids.map((id) => harness.client.wait(id)))
      expect(gates.started).toEqual(["holder.1", ...names.map((name) => `${name}.1`)])
    })
  })

  it("ends when no session has needed it for long, and starts again for the next one", async () => {
    await open(1, { config: { timing: { laneIdleMs: 50 } } })
    for (const name of ["a", "b"]) {
      const id = await start(name)
      await gates.pass(name)
      expect(await harness.client.wait(id)).toMatchObject({ outcome: "completed" })
      await eventually(async () => (await getLaneHandle(harness).describe()).status.name === "COMPLETED")
    }
  })

  describeInDeepRun("with sub-agents of sub-agents", () => {
    it("does not count the time in the queue against the run's time limit", async () => {
      await open(1)
      await start("holder")
      await gates.waitUntilStarted("holder.1")
      const timeoutSeconds = 5
      const timed = await harness.start({ prompt: "timed", timeout_seconds: timeoutSeconds })
      await waitUntilQueued(harness, [timed])
      const createdAt = Date.parse((await harness.client.info(timed)).created_at)
      await eventually(() => Date.now() - createdAt > timeoutSeconds * 1_100)
      await gates.pass("holder")
      await gates.pass("timed")
      expect(await harness.client.wait(timed)).toMatchObject({ outcome: "completed" })
    })

    it.each(["subagents", "nothing"])(
      "lets a whole tree pass through one slot, its parents waiting with %s",
      async (way) => {
        const order: string[] = []
        let atOnce = 0
        let mostAtOnce = 0
        const model = createFakeModel(async (request, turn) => {
          const [first] = request.messages
          const who = first?.role === "user" ? first.text : ""
          order.push(`${who}.${turn}`)
          if (who !== "root") {
            atOnce += 1
            mostAtOnce = Math.max(mostAtOnce, atOnce)
            await thinkTime(20)
            atOnce -= 1
          }
          const below = who === "root" ? ["a", "b"] : who.length === 1 ? [`${who}1`, `${who}2`] : []
          if (below.length === 0 || turn > 2) return { text: `${who} is done` }
          if (turn === 1) return { calls: below.map((task) => ["sessions_spawn", { task }] as const) }
          return way === "nothing" ? { text: "I wait." } : { calls: [["subagents", { action: "wait", target: "all" }]] }
        })
        await open(1, {
          model,
          workerStore: (store) => store,
          config: { subagents: { maxConcurrent: 1, maxSpawnDepth: 2 } },
        })
        const id = await start("root")
        expect(await harness.client.wait(id)).toMatchObject({ outcome: "completed", final_message: "root is done" })
        for (const who of ["a1", "a2", "b1", "b2"])
          expect(order.filter((turn) => turn.startsWith(who))).toEqual([`${who}.1`])
        expect(mostAtOnce).toBe(1)
        await eventually(async () => (await queryLane(harness)).holders.length === 0)
      },
    )
  })

  it("does not run where the number of sub-agents is unlimited", async () => {
    await open(0)
    const ids = await Promise.all(["a", "b", "c"].map(start))
    for (const name of ["a", "b", "c"]) await gates.waitUntilStarted(`${name}.1`)
    for (const name of ["a", "b", "c"]) await gates.pass(name)
    await Promise.all(ids.map((id) => harness.client.wait(id)))
    await expect(getLaneHandle(harness).describe()).rejects.toBeInstanceOf(WorkflowNotFoundError)
  })

  it("does not limit sessions that a person started", async () => {
    await open(1, { workerStore: (store) => store })
    const ids = await Promise.all(["a", "b"].map(start))
    for (const name of ["a", "b"]) await gates.waitUntilStarted(`${name}.1`)
    for (const name of ["a", "b"]) await gates.pass(name)
    await Promise.all(ids.map((id) => harness.client.wait(id)))
    await expect(getLaneHandle(harness).describe()).rejects.toBeInstanceOf(WorkflowNotFoundError)
  })
})
