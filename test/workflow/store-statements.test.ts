import { asyncLocalStorage } from "@temporalio/activity"
import { afterEach, expect, it } from "vitest"
import { z } from "zod"
import { sessionWorkflowId } from "../../domain/engine/engine-names.ts"
import type { Tool } from "../../tools/tool.ts"
import { eventually } from "../helpers/eventually.ts"
import { type Harness, openHarness } from "../helpers/engine/workflow-harness.ts"
import { createFakeModel } from "../helpers/models/fake-model.ts"
import { countStatements, type SentStatement } from "../helpers/store/count-statements.ts"
import { createStoreLocation, testEachDatabase } from "../helpers/store/store-under-test.ts"

let harness: Harness | undefined

afterEach(() => harness?.close())

/** With this variable, each statement of the measured step is printed with its callers. */
const isShown = process.env["ADJUTANT_TEST_STATEMENTS"] === "true"

const isTransaction = ({ sql }: SentStatement): boolean =>
  sql.startsWith("begin") || sql.startsWith("start transaction")

const countsOf = (step: readonly SentStatement[]) => ({
  statements: step.length,
  transactions: step.filter(isTransaction).length,
})

const show = (step: readonly SentStatement[]): void => {
  const lines = step.map(({ activity, sql, callers }) => `${activity}: ${sql}\n      ${callers.join(" < ")}`)
  console.error(`${JSON.stringify(countsOf(step))}\n${lines.join("\n")}`)
}

const quick: Tool = {
  name: "Peek",
  description: "Looks.",
  input: z.strictObject({}),
  idempotent: true,
  readOnly: true,
  quick: true,
  execute: async () => ({ content: "a page" }),
}

const ordinary: Tool = { ...quick, quick: false }

const steps = 6

interface Measured {
  readonly tool: Tool
  /** What the model says before its call. */
  readonly text?: string
  /** The model answers only once readers see that the step has begun. */
  readonly isSlow?: boolean
}

const begun = async ({ store }: Harness, id: string, step: number): Promise<boolean> => {
  const { events } = await store.events.read(id, { after: 0, limit: 1_000 })
  return events.some((event) => event.type === "step-started" && event["step"] === step)
}

/**
 * Returns the least that a step sends, from one request to the model to the next: with the first steps the worker gets to know the session, and where the
 * machine is slow, readers are shown sooner that a step has begun.
 */
const measureStep = async ({ tool, text, isSlow = false }: Measured): Promise<readonly SentStatement[]> => {
  let id = ""
  const counter = countStatements({ workflowId: () => sessionWorkflowId(id), callers: isShown })
  try {
    const { url } = await createStoreLocation()
    const measured: (readonly SentStatement[])[] = []
    harness = await openHarness({
      model: createFakeModel(async (_, turn) => {
        measured.push(counter.take())
        // What the test reads itself is not counted.
        const isBegun = () => eventually(async () => harness !== undefined && (await begun(harness, id, turn)))
        if (isSlow) await asyncLocalStorage.exit(isBegun)
        return turn > steps ? { text: "Seen." } : { calls: [["Peek", {}]], ...(text === undefined ? {} : { text }) }
      }),
      tools: [tool],
      // The longest that is allowed: a slow machine must not make a separate activity of a quick call.
      config: { store: { url }, timing: { quickToolMs: 5_000 } },
    })
    id = await harness.start({ allowed_tools: ["Peek"] })
    // A client that followed the run would read its events in between.
    await harness.handle(id).result()
    expect(await harness.client.info(id)).toMatchObject({ status: "completed", final_message: "Seen." })
    expect(measured).toHaveLength(steps + 1)
    const [least = []] = measured.slice(2).toSorted((left, right) => left.length - right.length)
    if (isShown) show(least)
    return least
  } finally {
    counter.stop()
  }
}

const expectAtMost = (step: readonly SentStatement[], statements: number, transactions: number): void => {
  const counts = countsOf(step)
  expect(counts.statements).toBeLessThanOrEqual(statements)
  expect(counts.transactions).toBe(transactions)
}

testEachDatabase(() => {
  it("needs few statements and two transactions for a step with a quick call", async () => {
    expectAtMost(await measureStep({ tool: quick }), 19, 2)
  })

  it("needs a third transaction, before it runs, for a call that may not be repeated", async () => {
    const tool = { ...ordinary, idempotent: false, readOnly: false }
    expectAtMost(await measureStep({ tool }), 25, 3)
  })

  it("needs a third transaction to show that a call runs which is not quick", async () => {
    expectAtMost(await measureStep({ tool: ordinary }), 25, 3)
  })

  it("needs no transaction of its own for text that comes with the answer", async () => {
    expectAtMost(await measureStep({ tool: quick, text: "I look." }), 22, 2)
  })

  it("needs one transaction more to show a step whose model takes long", async () => {
    expectAtMost(await measureStep({ tool: quick, isSlow: true }), 24, 3)
  })
})
