import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import { expect, it } from "vitest"
import { maxFunctionLines } from "../../../scripts/lint/function-length.ts"
import { exceptions } from "../../../scripts/structure/exceptions.ts"
import { longFunctions } from "../../../scripts/structure/long-functions.ts"
import { readProductSources } from "../../../scripts/structure/product-sources.ts"

const root = path.resolve(import.meta.dirname, "../../..")

it("finds the functions that are longer than the limit", async () => {
  const folder = await mkdtemp(path.join(tmpdir(), "adjutant-functions-"))
  try {
    const body = (lines: number) => `() => {\n${"  void 0\n".repeat(lines - 2)}}\n`
    const text = `export const shortest = ${body(maxFunctionLines)}\nexport const longest = ${body(maxFunctionLines + 1)}`
    await writeFile(path.join(folder, "a.ts"), text)
    expect(longFunctions(folder, ["a.ts"])).toEqual([
      { file: "a.ts", line: maxFunctionLines + 2, lines: maxFunctionLines + 1, name: "longest" },
    ])
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})

it("no function of the product is longer than the limit, but for those in the files that are excepted", () => {
  const files = readProductSources(root).map(({ file }) => file)
  const found = new Set(longFunctions(root, files).map(({ file }) => file))
  expect([...found].toSorted()).toEqual(exceptions.longFunctionFiles)
})
