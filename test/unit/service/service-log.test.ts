import { writeFileSync } from "node:fs"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import { expect, it, onTestFinished } from "vitest"
import { lastLogLines } from "../../../service/service-log.ts"

const logFile = async (): Promise<string> => {
  const folder = await mkdtemp(path.join(tmpdir(), "adjutant-log-"))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return path.join(folder, "service.log")
}

it("returns the last lines of a log of any length, and none without a log", async () => {
  const log = await logFile()
  expect(lastLogLines(log, 3)).toEqual([])
  writeFileSync(log, `${Array.from({ length: 60_000 }, (_, index) => `line ${index}`).join("\n")}\n`)
  expect(lastLogLines(log, 2)).toEqual(["line 59998", "line 59999"])
})
