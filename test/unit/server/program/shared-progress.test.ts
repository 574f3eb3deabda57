import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, expect, test } from "vitest"
import { tryLock } from "../../../../server/process/exclusive-lock.ts"
import { type ProgramCache, programCache } from "../../../../server/program/program-cache.ts"
import {
  endSharedProgress,
  readSharedProgress,
  shareProgress,
  progressOfFiller,
} from "../../../../server/program/shared-progress.ts"

let folder: string
let cache: ProgramCache
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "adjutant-progress-"))
  cache = programCache({ XDG_CACHE_HOME: folder })!
  mkdirSync(cache.directory, { recursive: true })
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

test("another process can read the progress until the work has ended", () => {
  shareProgress(cache, "building … 5 s")
  expect(readSharedProgress(cache)).toEqual({ pid: process.pid, line: "building … 5 s" })
  endSharedProgress(cache)
  expect(readSharedProgress(cache)).toBeUndefined()
  expect(existsSync(cache.progress)).toBe(false)
})

test("the process that fills the cache is known while it runs, and not by what it left", () => {
  expect(progressOfFiller(cache)).toBeUndefined()
  const lock = tryLock(cache.lock)
  shareProgress(cache, "building … 5 s")
  expect(progressOfFiller(cache)).toEqual({ pid: process.pid, line: "building … 5 s" })
  lock?.release()
  expect(progressOfFiller(cache)).toBeUndefined()
})

test("only printable text of bounded length reaches a terminal", () => {
  writeFileSync(cache.progress, JSON.stringify({ pid: 7, line: `\u001B[2Jgone\n${"x".repeat(1_000)}` }))
  const shared = readSharedProgress(cache)
  expect(shared?.line).toMatch(/^\[2Jgonex+$/)
  expect(shared?.line.length).toBeLessThanOrEqual(300)
})

test("a cache that cannot be written does not stop the work", () => {
  rmSync(folder, { recursive: true })
  expect(() => shareProgress(cache, "building")).not.toThrow()
})
