import { afterEach, describe, expect, it } from "vitest"
import { z } from "zod"
import type { Harness } from "../helpers/engine/workflow-harness.ts"
import { openHarness } from "../helpers/engine/workflow-harness.ts"
import { createFakeModel } from "../helpers/models/fake-model.ts"
import type { Tool } from "../../tools/tool.ts"

let harness: Harness
const actor = { by: "test", via: "cli" }

afterEach(() => harness.close())

/** The benchmarks take a thousand; these are enough to see what grows. */
const stepsPerRun = 100
const runs = 3
const eventsPerExecution = 200

/** Returns every execution of the session, oldest first, with the size of its history. */
const executionsOf = async (id: string) => {
  const found: { readonly events: number; readonly bytes: number }[] = []
  const handle = harness.handle(id)
  const firstExecutionRunId = (await handle.describe()).raw.workflowExecutionInfo?.firstRunId ?? ""
  for (let next = firstExecutionRunId; next !== "";) {
    const execution: ReturnType<Harness["handle"]> = harness.temporal.workflow.getHandle(handle.workflowId, next)
    const { raw } = await execution.describe()
    found.push({
      events: Number(raw.workflowExecutionInfo?.historyLength),
      bytes: Number(raw.workflowExecutionInfo?.historySizeBytes),
    })
    const { events } = await execution.fetchHistory()
    next = events?.at(-1)?.workflowExecutionContinuedAsNewEventAttributes?.newExecutionRunId ?? ""
  }
  return found
}

describe("a session of hundreds of steps", () => {
  it("runs each of them once, in bounded histories and a store that grows in proportion", async () => {
    let executed = 0
    const count: Tool = {
      name: "Count",
      description: "Counts how often it ran.",
      input: z.strictObject({}),
      readOnly: false,
      idempotent: false,
      execute: async () => {
        executed += 1
        return { content: `run ${executed}` }
      },
    }
    harness = await openHarness({
      tools: [count],
      config: { timing: { continueAsNewAfterEvents: eventsPerExecution } },
      model: createFakeModel((_, turn) =>
        turn % stepsPerRun === 0 ? { text: `stretch ${turn / stepsPerRun} is done` } : { calls: [["Count", {}]] },
      ),
    })
    const { client, store } = harness
    const id = await harness.start({ allowed_tools: ["Count"], max_steps: stepsPerRun })
    const rowsAfter: number[] = []
    const eventsAfter: number[] = []
    for (let run = 1; run <= runs; run += 1) {
      if (run > 1) await client.send({ sessionId: id, text: "Continue.", type: "message", actor })
      expect(await client.wait(id)).toMatchObject({
        outcome: "completed",
        final_message: `stretch ${run} is done`,
        steps_taken: stepsPerRun,
        usage: { input_tokens: 10 * stepsPerRun, output_tokens: 5 * stepsPerRun },
      })
      rowsAfter.push((await client.messages(id)).length)
      eventsAfter.push(await store.events.lastId(id))
    }
    expect(executed).toBe(runs * (stepsPerRun - 1))
    expect(await client.info(id)).toMatchObject({ status: "completed", steps_taken: runs * stepsPerRun })

    // The instruction, the notice of the last ten steps, the answers, and the results.
    const perRun = 1 + 1 + stepsPerRun + (stepsPerRun - 1)
    expect(rowsAfter).toEqual([1, 2, 3].map((run) => run * perRun))
    const grown = eventsAfter.map((events, index) => events - (eventsAfter[index - 1] ?? 0))
    expect(new Set(grown).size).toBe(1)

    const calls = (await client.messages(id)).flatMap(({ message }) =>
      message.role === "tool" ? [message.content] : [],
    )
    expect(calls).toEqual(Array.from({ length: executed }, (_, index) => `run ${index + 1}`))

    const executions = await executionsOf(id)
    expect(executions.length).toBeGreaterThan(3)
    for (const { events } of executions) expect(events).toBeLessThan(eventsPerExecution * 1.2)
    // The start of an execution is its largest event: a short one has more bytes for each event.
    const long = executions.filter(({ events }) => events > eventsPerExecution / 2)
    expect(long.length).toBeGreaterThan(2)
    const bytesPerEvent = long.map(({ events, bytes }) => bytes / events)
    expect(Math.max(...bytesPerEvent)).toBeLessThan(Math.min(...bytesPerEvent) * 2)
  })
})
