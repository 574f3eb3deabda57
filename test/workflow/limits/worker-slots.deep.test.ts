import { afterEach, describe, expect, it } from "vitest"
import { z } from "zod"
import type { Tool } from "../../../tools/tool.ts"
import { untilPasses } from "../../helpers/eventually.ts"
import { createFakeTurns } from "../../helpers/models/fake-model.ts"
import { createHeldModel } from "../../helpers/models/held-model.ts"
import { type Harness, openHarness } from "../../helpers/engine/workflow-harness.ts"

let harness: Harness
const held: (() => void)[] = []
afterEach(async () => {
  for (const end of held.splice(0)) end()
  await harness.close()
})

const blockedBy = async (id: string) => (await harness.client.info(id)).blocked_by[0]
const untilBusy = (id: string) =>
  untilPasses(async () => expect(await blockedBy(id)).toMatchObject({ type: "worker_busy" }))

/** Returns how often workers have handed calls of a session back. */
const handedBack = async (id: string): Promise<number> => {
  const { events } = await harness.handle(id).fetchHistory()
  return (events ?? []).filter(
    ({ activityTaskFailedEventAttributes: failed }) => failed?.failure?.applicationFailureInfo?.type === "worker_busy",
  ).length
}

/** A tool that must not be repeated, and whose first call ends when the test says so. */
const heldTool = () => {
  const { promise, resolve: end } = Promise.withResolvers<void>()
  held.push(end)
  let calls = 0
  const tool: Tool = {
    name: "Pay",
    description: "Pays.",
    input: z.strictObject({}),
    idempotent: false,
    readOnly: false,
    execute: async () => {
      calls += 1
      await promise
      return { content: `payment ${calls}` }
    },
  }
  return { tool, end, calls: () => calls }
}

describe("a worker with all slots in use", () => {
  it("makes further model calls later, and their sessions show it", async () => {
    const model = createHeldModel()
    harness = await openHarness({ model: model.provider, config: { worker: { modelCalls: 1 } } })
    const first = await harness.start()
    await untilPasses(async () => expect(model.isWaiting(first)).toBe(true))
    const second = await harness.start()
    await untilBusy(second)
    expect(await harness.client.info(second)).toMatchObject({ status: "running" })
    expect(model.calls).toHaveLength(1)
    model.reply(first, { text: "First." })
    await untilPasses(async () => expect(model.isWaiting(second)).toBe(true))
    expect(await blockedBy(second)).toBeUndefined()
    model.reply(second, { text: "Second." })
    expect(await harness.client.wait(second)).toMatchObject({ final_message: "Second." })
  })

  it("hands a tool call back that waits for long, and it runs once, when a slot is free", async () => {
    const { tool, end, calls } = heldTool()
    harness = await openHarness({
      model: createFakeTurns({ calls: [["Pay", {}]] }, { text: "Paid." }),
      tools: [tool],
      config: { worker: { tools: 1 }, timing: { toolTimeoutMs: 20_000 } },
    })
    const [first, second] = [
      await harness.start({ allowed_tools: ["Pay"] }),
      await harness.start({ allowed_tools: ["Pay"] }),
    ]
    const waits = await untilPasses(async () => {
      const found = await Promise.all([first, second].map(async (id) => ({ id, blocked: await blockedBy(id) })))
      const waiting = found.filter(({ blocked }) => blocked?.type === "worker_busy")
      expect(waiting).toHaveLength(1)
      return waiting[0]
    })
    const waiting = waits?.id ?? ""
    await untilPasses(async () => expect(await handedBack(waiting)).toBeGreaterThan(0))
    await untilPasses(async () => expect(await blockedBy(waiting)).toEqual(waits?.blocked))
    expect(calls()).toBe(1)
    end()
    for (const id of [first, second])
      expect(await harness.client.wait(id)).toMatchObject({ outcome: "completed", final_message: "Paid." })
    expect(calls()).toBe(2)
    expect(await blockedBy(waiting)).toBeUndefined()
  })

  it("begins no call that is cancelled while it waits", async () => {
    const { tool, end, calls } = heldTool()
    harness = await openHarness({
      model: createFakeTurns({ calls: [["Pay", {}]] }, { text: "Paid." }),
      tools: [tool],
      config: { worker: { tools: 1 } },
    })
    const first = await harness.start({ allowed_tools: ["Pay"] })
    await untilPasses(async () => expect(calls()).toBe(1))
    const second = await harness.start({ allowed_tools: ["Pay"] })
    await untilBusy(second)
    await harness.client.cancel(second, { by: "test", via: "cli" })
    expect(await harness.client.wait(second)).toMatchObject({ error: { code: "cancelled" } })
    expect(await blockedBy(second)).toBeUndefined()
    end()
    expect(await harness.client.wait(first)).toMatchObject({ outcome: "completed" })
    expect(calls()).toBe(1)
  })
})
