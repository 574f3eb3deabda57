import { afterEach, expect, it } from "vitest"
import { z } from "zod"
import { sessionWorkflowId } from "../../domain/engine/engine-names.ts"
import type { Tool } from "../../tools/tool.ts"
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

const steps = 4

/** Returns what a step sends, from one request to the model to the next. The first steps are left out: with them, the worker gets to know the session. */
const measureStep = async (tool: Tool, text: { readonly text?: string } = {}): Promise<readonly SentStatement[]> => {
  let id = ""
  const counter = countStatements({ workflowId: () => sessionWorkflowId(id), callers: isShown })
  try {
    const { url } = await createStoreLocation()
    const measured: (readonly SentStatement[])[] = []
    harness = await openHarness({
      model: createFakeModel((_, turn) => {
        measured.push(counter.take())
        return turn > steps ? { text: "Seen." } : { calls: [["Peek", {}]], ...text }
      }),
      tools: [tool],
      // The longest that is allowed: a slow machine must not make a separate activity of a quick call.
      config: { store: { url }, timing: { quickToolMs: 5_000 } },
    })
    id = await harness.start({ allowed_tools: ["Peek"] })
    // A client that followed the run would read its events in between.
    await harness.handle(id).result()
    expect(await harness.client.info(id)).toMatchObject({ status: "completed", final_message: "Seen." })
    const [before, last] = measured.slice(-2)
    if (before === undefined || last === undefined) throw new Error("the run has too few steps")
    if (isShown) show(last)
    expect(last.map(({ sql }) => sql)).toEqual(before.map(({ sql }) => sql))
    return last
  } finally {
    counter.stop()
  }
}

testEachDatabase(() => {
  it("needs few statements and transactions for a step with a quick call", async () => {
    const { statements, transactions } = countsOf(await measureStep(quick))
    expect(statements).toBeLessThanOrEqual(37)
    expect(transactions).toBe(4)
  })

  it("needs few for a step with a call that may not be repeated", async () => {
    const tool = { ...ordinary, idempotent: false, readOnly: false }
    const { statements, transactions } = countsOf(await measureStep(tool))
    expect(statements).toBeLessThanOrEqual(37)
    expect(transactions).toBe(4)
  })

  it("needs one transaction more for streamed text", async () => {
    const { statements, transactions } = countsOf(await measureStep(quick, { text: "I look." }))
    expect(statements).toBeLessThanOrEqual(45)
    expect(transactions).toBe(5)
  })
})
