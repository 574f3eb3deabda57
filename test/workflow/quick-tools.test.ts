import { setTimeout as delay } from "node:timers/promises"
import { afterEach, describe, expect, it } from "vitest"
import { z } from "zod"
import type { Store } from "../../store/store.ts"
import type { Tool } from "../../tools/tool.ts"
import { createFakeTurns } from "../helpers/models/fake-model.ts"
import { type Harness, type HarnessOptions, openHarness } from "../helpers/engine/workflow-harness.ts"

let harness: Harness

afterEach(() => harness.close())

/** Returns the activities that a session's execution scheduled, by type. */
const activitiesOf = async (sessionId: string): Promise<readonly string[]> => {
  const { events } = await harness.handle(sessionId).fetchHistory()
  return (events ?? []).flatMap((event) => event.activityTaskScheduledEventAttributes?.activityType?.name ?? [])
}

const toolOf = (execute: Tool["execute"], change: Partial<Tool> = {}): Tool => ({
  name: "Peek",
  description: "Looks.",
  input: z.strictObject({}),
  idempotent: true,
  readOnly: true,
  quick: true,
  execute,
  ...change,
})

const peekOnce = async (tool: Tool, options: Partial<HarnessOptions> = {}) => {
  harness = await openHarness({
    model: createFakeTurns({ calls: [["Peek", {}]] }, { text: "Seen." }),
    tools: [tool],
    // The longest that is allowed: a slow machine must not make a separate activity of a quick call.
    config: { timing: { quickToolMs: 5_000 } },
    ...options,
  })
  const id = await harness.start({ allowed_tools: ["Peek"] })
  expect(await harness.client.wait(id)).toMatchObject({ final_message: "Seen." })
  const { events } = await harness.store.events.read(id, { after: 0, limit: 100 })
  const rows = await harness.client.messages(id)
  return {
    activities: await activitiesOf(id),
    results: rows.flatMap(({ message }) => (message.role === "tool" ? [`${message.outcome}: ${message.content}`] : [])),
    told: events.map(({ type }) => type).filter((type) => type.startsWith("tool-")),
  }
}

const told = ["tool-calls-proposed", "tool-started", "tool-finished"]

describe("a call of a quick tool", () => {
  it("runs inside the workflow task and leaves the same transcript and events", async () => {
    const { activities, results, told: events } = await peekOnce(toolOf(async () => ({ content: "a page" })))
    expect(activities).toEqual(["callModel", "callModel"])
    expect(results).toEqual(["ok: a page"])
    expect(events).toEqual(told)
  })

  it("that takes longer is stopped and run again as an activity, and only that result counts", async () => {
    const stoppedFor: string[] = []
    let runs = 0
    const peek = toolOf(async (_, { signal }) => {
      runs += 1
      if (runs > 1) return { content: "a page at last" }
      await delay(60_000, undefined, { signal }).catch(() => stoppedFor.push(String(signal.reason?.message)))
      return { content: "half a page" }
    })
    const seen = await peekOnce(peek, { config: { timing: { quickToolMs: 1_000 } } })
    expect(seen.activities).toEqual(["callModel", "runTool", "callModel"])
    expect(seen.results).toEqual(["ok: a page at last"])
    expect(seen.told).toEqual(told)
    expect(stoppedFor).toEqual(["TIMED_OUT"])
  })

  it("that fails is data for the model, at once", async () => {
    const { activities, results } = await peekOnce(toolOf(async () => ({ content: "no such page", isError: true })))
    expect(activities).toEqual(["callModel", "callModel"])
    expect(results).toEqual(["error: no such page"])
  })

  it("that cannot run with the workflow becomes an activity", async () => {
    let failed = false
    const workerStore = (store: Store): Store => ({
      ...store,
      messages: {
        ...store.messages,
        get: async (...at) => {
          const row = await store.messages.get(...at)
          if (row?.message.role !== "assistant" || failed) return row
          failed = true
          throw new Error("the disk is away")
        },
      },
    })
    const { activities, results } = await peekOnce(
      toolOf(async () => ({ content: "a page" })),
      { workerStore },
    )
    expect(failed).toBe(true)
    expect(activities).toEqual(["callModel", "runTool", "callModel"])
    expect(results).toEqual(["ok: a page"])
  })

  it("is an activity if it changes something, may not be repeated, or the limit is 0", async () => {
    const page = async () => ({ content: "a page" })
    const activity = ["callModel", "runTool", "callModel"]
    expect((await peekOnce(toolOf(page, { idempotent: false }))).activities).toEqual(activity)
    await harness.close()
    expect((await peekOnce(toolOf(page, { readOnly: false }))).activities).toEqual(activity)
    await harness.close()
    expect((await peekOnce(toolOf(page), { config: { timing: { quickToolMs: 0 } } })).activities).toEqual(activity)
  })
})
