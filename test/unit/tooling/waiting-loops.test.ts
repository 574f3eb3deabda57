import path from "node:path"
import { describe, expect, it } from "vitest"
import { findWaitingLoops } from "../../../scripts/lint/waiting-loops.ts"
import { readProductSources } from "../../../scripts/structure/product-sources.ts"

const root = path.resolve(import.meta.dirname, "../../..")

const linesOf = (text: string): readonly number[] => findWaitingLoops([{ file: "a.ts", text }]).map(({ line }) => line)

describe("loops around a condition", () => {
  it("take a durable step in every pass, or explain why they never spin", () => {
    const workflows = readProductSources(root).filter(({ file }) => file.startsWith("workflows/"))
    expect(workflows.length).toBeGreaterThan(30)
    expect(findWaitingLoops(workflows)).toEqual([])
  })

  it("are found if the condition can be true already", () => {
    expect(linesOf("const wait = async () => {\n  while (!over) {\n    await condition(() => moves)\n  }\n}")).toEqual([
      2,
    ])
    expect(linesOf("const wait = async () => {\n  for (;;) await condition(() => moves)\n}")).toEqual([2])
  })

  it("are found if the wait is in another function, as in the pause that spun", () => {
    const spinning = `const pause = async (context) => {
  await condition(() => isDecided(context) || isHistoryLong(context))
}

export const runSteps = async (context) => {
  for (;;) {
    if (mayContinue(context)) await continueAsNew(context)
    switch (nextStep(context)) {
      case "pause":
        await pause(context)
        break
      default:
        await storeActivities.close()
    }
  }
}`
    expect(linesOf(spinning)).toEqual([6])
    expect(linesOf(spinning.replace("  for (;;)", "  // Never spins: because.\n  for (;;)"))).toEqual([7])
    expect(
      linesOf(spinning.replace("  for (;;)", "  // Never spins: a pause ends for a decision only.\n  for (;;)")),
    ).toEqual([])
  })

  it("are found if the durable step is skipped", () => {
    const loop = (first: string) =>
      `const wait = async () => {\n  for (;;) {\n    await condition(() => moves)\n    ${first}\n    await storeActivities.write()\n  }\n}`
    expect(linesOf(loop("if (isOver) return"))).toEqual([])
    expect(linesOf(loop("if (isOver) continue"))).toEqual([2])
  })

  it("may wait after a step of any durable kind", () => {
    const loop = (step: string) =>
      `const wait = async () => {\n  while (!over) {\n    ${step}\n    await condition(() => moves)\n  }\n}`
    for (const step of ["await sleep(10)", "const found = await storeActivities.look()"])
      expect(linesOf(loop(step))).toEqual([])
    const ask = "\nconst ask = async () => {\n  if (over) throw failed()\n  await storeActivities.ask()\n}"
    expect(linesOf(loop("await ask()") + ask)).toEqual([])
    expect(linesOf(loop("await ask()") + ask.replace("throw failed()", "return"))).toEqual([2])
  })
})
