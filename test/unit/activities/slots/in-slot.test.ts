import { MockActivityEnvironment } from "@temporalio/testing"
import { describe, expect, it } from "vitest"
import { inSlot } from "../../../../activities/slots/in-slot.ts"
import { createWorkerSlots } from "../../../../activities/slots/worker-slots.ts"
import type { RunBlocker } from "../../../../domain/session/block.ts"
import { untilPasses } from "../../../helpers/eventually.ts"
import { newSession, storeWithSession } from "../../store/store-fixture.ts"

const reason = "it makes 1 calls at a time (worker.tools), and all are in use"
const busy = { type: "worker_busy", since: expect.any(String), reason }

interface CallOptions {
  readonly sessionId?: string
  readonly busySince?: string
  readonly environment?: MockActivityEnvironment
}

/** An activity with a long time: a tenth of the usual second is how long its call would wait in its worker. */
const patient = (): MockActivityEnvironment => new MockActivityEnvironment({ startToCloseTimeoutMs: 3_600_000 })

/** A worker with one slot for tools. `ran`: what has begun, in this order; `call` returns what ends the work and what it comes to. */
const open = async () => {
  const store = await storeWithSession()
  await store.sessions.create(newSession("s2"))
  const slots = createWorkerSlots({ modelCalls: 1, tools: 1 })
  const ran: string[] = []
  const call = (name: string, options: CallOptions = {}) => {
    const { sessionId = "s1", busySince, environment = patient() } = options
    const { promise, resolve: end } = Promise.withResolvers<string>()
    const outbox = { events: [{ ordinal: -7, type: "step-started" as const, data: { step: 1 } }] }
    const input = {
      sessionId,
      runId: "r1",
      snapshotHash: "h",
      outbox,
      ...(busySince === undefined ? {} : { busySince }),
    }
    const work = async (): Promise<string> => {
      ran.push(name)
      return await promise
    }
    const result = environment.run(() => inSlot({ store, slots }, input, { slots: slots.tools, amount: 1, work }))
    result.catch(() => undefined)
    return { result, end: () => end(name), environment }
  }
  const shown = async (sessionId = "s1"): Promise<RunBlocker | null | undefined> =>
    (await store.sessions.get(sessionId))?.blockedBy
  const untilShown = (wanted: unknown, sessionId?: string) =>
    untilPasses(async () => expect(await shown(sessionId)).toEqual(wanted))
  return { store, slots, ran, call, shown, untilShown }
}

describe("a call for which its worker has no slot", () => {
  it("begins when one is free; until then its session shows what it waits for, and what happened before", async () => {
    const { store, ran, call, untilShown } = await open()
    const first = call("first", { sessionId: "s2" })
    const second = call("second")
    await untilShown(busy)
    expect(ran).toEqual(["first"])
    expect((await store.events.read("s1", { after: 0, limit: 10 })).events).toMatchObject([{ type: "step-started" }])
    first.end()
    await untilShown(null)
    second.end()
    expect(await Promise.all([first.result, second.result])).toEqual(["first", "second"])
    expect(ran).toEqual(["first", "second"])
  })

  it("needs none inside a workflow task, and none for another kind of call", async () => {
    const { store, slots, call, shown } = await open()
    const first = call("first")
    const local = call("local", { environment: new MockActivityEnvironment({ isLocal: true }) })
    local.end()
    expect(await local.result).toBe("local")
    const input = { sessionId: "s1", runId: "r1", snapshotHash: "h", outbox: { events: [] } }
    const model = { slots: slots.modelCalls, amount: 1, work: async () => "answer" }
    expect(await new MockActivityEnvironment().run(() => inSlot({ store, slots }, input, model))).toBe("answer")
    expect(await shown()).toBeNull()
    first.end()
    await first.result
  })

  it("never begins if it is cancelled while it waits, and leaves its place", async () => {
    const { ran, call, untilShown } = await open()
    const first = call("first", { sessionId: "s2" })
    const second = call("second")
    const third = call("third", { sessionId: "s2" })
    await untilShown(busy)
    second.environment.cancel("CANCELLED")
    await expect(second.result).rejects.toThrow("cancelled while it waited")
    await untilShown(null)
    first.end()
    third.end()
    expect(await third.result).toBe("third")
    expect(ran).toEqual(["first", "third"])
  })

  it.each(["its wait takes long", "its worker stops"])(
    "is handed back if %s, with the time since when it waits",
    async (why) => {
      const { slots, ran, call, shown } = await open()
      const first = call("first", { sessionId: "s2" })
      const startToCloseTimeoutMs = why === "its worker stops" ? 3_600_000 : 10
      const since = "2026-11-25T00:00:00.000Z"
      const environment = new MockActivityEnvironment({ startToCloseTimeoutMs })
      const second = call("second", { busySince: since, environment })
      if (why === "its worker stops") slots.end()
      await expect(second.result).rejects.toMatchObject({ type: "worker_busy", nonRetryable: true, details: [since] })
      expect(await shown()).toEqual({ ...busy, since })
      first.end()
      await first.result
      const again = call("again", { busySince: since })
      again.end()
      expect(await again.result).toBe("again")
      expect(await shown()).toBeNull()
      expect(ran).toEqual(["first", "again"])
    },
  )

  it("shows no wait that a worker left which died, once another one begins it", async () => {
    const { store, call, shown } = await open()
    await store.sessions.patch("s1", { blockedBy: { type: "worker_busy", since: "2026-11-25T00:00:00.000Z", reason } })
    const retry = call("retry", { environment: new MockActivityEnvironment({ attempt: 2 }) })
    retry.end()
    await retry.result
    expect(await shown()).toBeNull()
  })

  it("shows the wait as long as another call of its session waits, and never instead of paused sub-agents", async () => {
    const { store, call, shown, untilShown } = await open()
    const paused: RunBlocker = { type: "child_paused", since: "2026-11-25T00:00:00.000Z", session_ids: ["c1"] }
    await store.sessions.patch("s2", { blockedBy: paused })
    const first = call("first", { sessionId: "s2" })
    const [second, third, other] = [call("second"), call("third"), call("other", { sessionId: "s2" })]
    await untilShown(busy)
    first.end()
    second.end()
    await second.result
    expect(await shown("s2")).toEqual(paused)
    third.end()
    other.end()
    await Promise.all([third.result, other.result])
    expect([await shown(), await shown("s2")]).toEqual([null, paused])
  })
})

describe("the slots of a worker", () => {
  it("are as many as configured; those for tools by the cores of the machine unless they are", () => {
    expect(createWorkerSlots({ modelCalls: 5, tools: 3 }).counts).toEqual({ modelCalls: 5, tools: 3 })
    const { modelCalls, tools } = createWorkerSlots().counts
    expect(modelCalls).toBe(1_000)
    expect(tools % 8).toBe(0)
    expect(tools).toBeGreaterThan(0)
  })
})
