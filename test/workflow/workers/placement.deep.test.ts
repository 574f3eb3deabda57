import { afterEach, describe, expect, it } from "vitest"
import { z } from "zod"
import { machineQueueOf } from "../../../domain/engine/engine-names.ts"
import { type Machine, thisMachine } from "../../../engine/workers/machine.ts"
import type { ModelProvider } from "../../../models/model-provider.ts"
import type { Tool } from "../../../tools/tool.ts"
import { eventually } from "../../helpers/eventually.ts"
import { createFakeModel, createFakeTurns } from "../../helpers/models/fake-model.ts"
import { createHeldModel } from "../../helpers/models/held-model.ts"
import { type Harness, type HarnessOptions, openHarness } from "../../helpers/engine/workflow-harness.ts"

let harness: Harness

afterEach(() => harness.close())

const { identify } = thisMachine({})

/** Machines with the session's working directory, with another one of the same path, and without it. */
const withDirectory = (name: string): Machine => ({ name, identify })
const withCopy = (name: string): Machine => ({ name, identify: async () => "another directory" })
const without = (name: string): Machine => ({ name, identify: async () => undefined })

/** Starts a worker of a machine. Its tool reports on which machine it runs. */
const startWorkerOn = (machine: Machine, { quick = false }: { quick?: boolean } = {}) => {
  const tool: Tool = {
    name: "Where",
    description: "Reports the machine.",
    input: z.strictObject({}),
    idempotent: quick,
    readOnly: quick,
    quick,
    execute: async () => ({ content: `on ${machine.name}` }),
  }
  return harness.startWorker({ machine, tools: [tool] })
}

const calls = [
  ["Where", {}],
  ["Where", {}],
] as const

/** Opens a store whose sessions are started on the machine `a`. */
const open = async (options: Partial<HarnessOptions> = {}): Promise<void> => {
  harness = await openHarness({
    model: createFakeTurns({ calls }, { calls }, { text: "Done." }),
    tools: [{ name: "Where" } as Tool],
    worker: false,
    env: { ADJUTANT_MACHINE: "a" },
    ...options,
  })
}

const start = (request = {}) => harness.start({ allowed_tools: ["Where"], ...request })

const resultsOf = async (id: string): Promise<readonly string[]> => {
  const rows = await harness.client.messages(id)
  return rows.flatMap(({ message }) => (message.role === "tool" ? [message.content] : []))
}

const detailsOf = async (id: string): Promise<string> =>
  (await harness.handle(id).query<{ currentDetails?: string }>("__temporal_workflow_metadata")).currentDetails ?? ""

/** Returns the types of the activities that were scheduled on the queue of a machine. */
const scheduledOn = async (id: string, machine: string): Promise<readonly string[]> => {
  const { events } = await harness.handle(id).fetchHistory()
  return (events ?? []).flatMap(({ activityTaskScheduledEventAttributes: scheduled }) =>
    scheduled?.taskQueue?.name === machineQueueOf(harness.taskQueue, machine)
      ? [scheduled.activityType?.name ?? ""]
      : [],
  )
}

/** Returns how many timers run, among them the one that ends the run when its time is used up. */
const openTimers = async (id: string): Promise<number> => {
  const { events = [] } = await harness.handle(id).fetchHistory()
  const count = (isCounted: (event: NonNullable<typeof events>[number]) => boolean) =>
    (events ?? []).filter(isCounted).length
  return (
    count((event) => event.timerStartedEventAttributes != null) -
    count((event) => event.timerCanceledEventAttributes != null) -
    count((event) => event.timerFiredEventAttributes != null)
  )
}

const statusOf = async (id: string) => {
  await harness.client.wait(id)
  return (await harness.client.info(id)).status
}

const outcomeOf = async (id: string) => (await harness.client.wait(id))?.outcome

describe("the tools of a session", () => {
  it.each([
    ["no such directory", without("b"), false],
    ["another directory of that path", withCopy("b"), false],
    ["no such directory, for a quick tool", without("b"), true],
  ])("run on the machine of its working directory while a worker runs elsewhere with %s", async (_, other, quick) => {
    await open()
    await startWorkerOn(other, { quick })
    await startWorkerOn(withDirectory("a"), { quick })
    const ids = await Promise.all(Array.from({ length: 4 }, () => start()))
    for (const id of ids) {
      expect(await outcomeOf(id)).toBe("completed")
      expect(await resultsOf(id)).toEqual(Array.from({ length: 4 }, () => "on a"))
    }
  })

  it("cost nothing more where all workers are on one machine", async () => {
    await open()
    await startWorkerOn(withDirectory("a"))
    const id = await start()
    expect(await outcomeOf(id)).toBe("completed")
    expect(await scheduledOn(id, "a")).toEqual([])
  })

  it("run on any machine that shares the directory", async () => {
    await open()
    await harness.store.machines.note("a")
    await startWorkerOn(withDirectory("b"))
    const id = await start()
    expect(await outcomeOf(id)).toBe("completed")
    expect(await resultsOf(id)).toEqual(Array.from({ length: 4 }, () => "on b"))
  })

  it("wait for a worker of their machine, visibly and with the run's clock stopped", async () => {
    await open()
    await harness.store.machines.note("a")
    await startWorkerOn(without("b"))
    const id = await start({ timeout_seconds: 300 })
    await eventually(async () => (await detailsOf(id)).includes("no worker runs on the machine `a`"))
    await eventually(async () => (await openTimers(id)) === 0)
    await eventually(async () => (await scheduledOn(id, "a")).filter((type) => type === "reachMachine").length > 1)
    expect((await harness.client.info(id)).status).toBe("running")
    await startWorkerOn(withDirectory("a"))
    expect(await outcomeOf(id)).toBe("completed")
    expect(await resultsOf(id)).toEqual(Array.from({ length: 4 }, () => "on a"))
    expect(await detailsOf(id)).not.toContain("Waiting for a worker")
  })

  it("show in blocked_by for which machine they wait and since when, until a worker of it takes them", async () => {
    const gate = Promise.withResolvers<void>()
    await open({
      model: createFakeModel(async (_, turn) => {
        if (turn === 2) await gate.promise
        return turn === 1 ? { calls } : { text: "Done." }
      }),
    })
    await harness.store.machines.note("a")
    await startWorkerOn(without("b"))
    const id = await start()
    const blockedBy = async () => (await harness.client.info(id)).blocked_by[0]
    await eventually(async () => (await blockedBy()) !== undefined)
    const shown = await blockedBy()
    expect(shown).toMatchObject({ type: "place", machines: ["a"], since: expect.any(String) })
    await eventually(async () => (await scheduledOn(id, "a")).filter((type) => type === "reachMachine").length > 2)
    expect(await blockedBy()).toEqual(shown)
    await startWorkerOn(withDirectory("a"))
    await eventually(async () => (await resultsOf(id)).length === 2)
    await eventually(async () => (await blockedBy()) === undefined)
    expect((await harness.client.info(id)).status).toBe("running")
    gate.resolve()
    expect(await outcomeOf(id)).toBe("completed")
  })

  it("can be cancelled while they wait for a worker of their machine", async () => {
    await open()
    await harness.store.machines.note("a")
    await startWorkerOn(without("b"))
    const id = await start()
    await eventually(async () => (await detailsOf(id)).includes("no worker runs on the machine `a`"))
    await harness.client.cancel(id, { by: "test", via: "cli" })
    expect(await statusOf(id)).toBe("cancelled")
  })

  it("that were approved and are cancelled before a worker of their machine takes them keep the decision in the log", async () => {
    await open()
    await harness.store.machines.note("a")
    await startWorkerOn(without("b"))
    const worker = await startWorkerOn(withDirectory("a"))
    const { client, store } = harness
    const id = await harness.start({ auto_approve: false, pause_on_approval: true })
    await eventually(async () => (await client.info(id)).status === "paused")
    await worker.stop()
    const checkpointId = (await client.pending(id)).checkpoint_id ?? ""
    const by = { by: "ana", via: "cli" } as const
    await client.decide({ sessionId: id, checkpointId, all: { action: "accept" }, unlisted: "pending", actor: by })
    await eventually(async () => (await detailsOf(id)).includes("no worker runs on the machine `a`"))
    await client.cancel(id, by)
    expect(await statusOf(id)).toBe("cancelled")
    const { events } = await store.events.read(id, { after: 0, limit: 1_000 })
    expect(events.filter(({ type }) => ["decision-recorded", "run-finished"].includes(type))).toMatchObject([
      { type: "decision-recorded", checkpoint_id: checkpointId, by: "ana" },
      { type: "run-finished" },
    ])
    expect(await store.pauses.current(id)).toBeUndefined()
  })

  it("run on the first machine with the directory if its own has no workers", async () => {
    await open()
    await startWorkerOn(without("b"))
    const id = await start()
    await startWorkerOn({ name: "c", identify: async () => "a copy" })
    await startWorkerOn({ name: "d", identify: async () => "another copy" })
    expect(await outcomeOf(id)).toBe("completed")
    const results = await resultsOf(id)
    expect(new Set(results).size).toBe(1)
    expect(["on b", "on c", "on d"]).toContain(results[0])
    expect(await harness.store.machines.placeOf(id)).toMatchObject({ machine: results[0]?.slice("on ".length) ?? "" })
  })
})

describe("a background process", () => {
  const bash = { command: "sleep 300", run_in_background: true }

  const startInBackground = async (model: ModelProvider) => {
    await open({ model, tools: [] })
    await harness.store.machines.note("a")
    // It takes the workflow, and records the outcome.
    await harness.startWorker({ machine: without("b") })
    return await harness.start({ allowed_tools: ["Bash"] })
  }

  it("is stopped on the machine that has it", async () => {
    const id = await startInBackground(createFakeTurns({ calls: [["Bash", bash]] }, { text: "Started." }))
    await harness.startWorker({ machine: withDirectory("a") })
    expect(await outcomeOf(id)).toBe("completed")
    expect(await scheduledOn(id, "a")).toContain("stopBackground")
    expect(await harness.store.machines.leftOn("a")).toEqual([])
  })

  it("is recorded while no worker of its machine runs, and stopped by the next one", async () => {
    const model = createHeldModel()
    const id = await startInBackground(model.provider)
    const worker = await harness.startWorker({ machine: withDirectory("a") })
    await eventually(() => model.reply(id, { calls: [["Bash", bash]] }))
    // The worker stops in the middle of the next turn: if it completed it, it would close the run, too.
    await eventually(() => model.isWaiting(id))
    await worker.stop()
    await eventually(async () => (await detailsOf(id)).includes("no worker runs on the machine `a`"))
    await harness.client.cancel(id, { by: "test", via: "cli" })
    expect(await statusOf(id)).toBe("cancelled")
    expect(await harness.store.machines.leftOn("a")).toEqual([id])
    await harness.startWorker({ machine: withDirectory("a") })
    expect(await harness.store.machines.leftOn("a")).toEqual([])
  })
})
