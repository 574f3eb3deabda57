import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, it, onTestFinished } from "vitest"
import { writeNewFiles } from "../../../../cli/replay/write-files.ts"

it("writes none of the files if one of them exists", async () => {
  const folder = mkdtempSync(join(tmpdir(), "adjutant-files-"))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  writeFileSync(join(folder, "c.txt"), "old")
  const files = { "a.txt": "a", "b.txt": "b", "c.txt": "c" }
  await expect(writeNewFiles(folder, files)).rejects.toThrow(`${join(folder, "c.txt")} exists already: remove it`)
  expect(readdirSync(folder)).toEqual(["c.txt"])
  const tests = join(folder, "tests")
  expect(await writeNewFiles(tests, files)).toEqual(["a.txt", "b.txt", "c.txt"].map((name) => join(tests, name)))
})
