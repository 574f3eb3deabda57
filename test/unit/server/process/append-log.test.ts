import { appendFileSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import { expect, it, onTestFinished } from "vitest"
import { rotateLog } from "../../../../server/process/append-log.ts"

const newLogFile = async (): Promise<string> => {
  const folder = await mkdtemp(path.join(tmpdir(), "adjutant-log-"))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return path.join(folder, "some.log")
}

it("moves a long log away, and a process that appends to it continues in the same file", async () => {
  const log = await newLogFile()
  writeFileSync(log, "a".repeat(11 * 1024 * 1024))
  const { ino } = statSync(log)
  rotateLog(log)
  expect(statSync(`${log}.1`).size).toBe(11 * 1024 * 1024)
  appendFileSync(log, "next\n")
  expect([statSync(log).ino, readFileSync(log, "utf8")]).toEqual([ino, "next\n"])
  rotateLog(log)
  expect(readFileSync(log, "utf8")).toBe("next\n")
})
