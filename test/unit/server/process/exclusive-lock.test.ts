import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, expect, test } from "vitest"
import { tryLock, waitForLock } from "../../../../server/process/exclusive-lock.ts"

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "adjutant-lock-"))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const holdElsewhere = async (path: string) => {
  const module = join(import.meta.dirname, "../../../../server/process/exclusive-lock.ts")
  const code = `import { tryLock } from ${JSON.stringify(module)}; console.log(tryLock(process.argv[1]) !== undefined); setInterval(() => {}, 1000)`
  const holder = spawn(process.execPath, ["--input-type=module", "-e", code, path], {
    stdio: ["ignore", "pipe", "ignore"],
  })
  const [line] = await once(holder.stdout.setEncoding("utf8"), "data")
  expect(String(line).trim()).toBe("true")
  return holder
}

test("a lock has one holder at a time, and another after its release", () => {
  const path = join(folder, "a.lock")
  const first = tryLock(path)
  expect(first).toBeDefined()
  expect(tryLock(path)).toBeUndefined()
  first?.release()
  first?.release()
  const second = tryLock(path)
  expect(second).toBeDefined()
  second?.release()
})

test("a lock does not survive a killed holder", async () => {
  const path = join(folder, "a.lock")
  const holder = await holdElsewhere(path)
  expect(tryLock(path)).toBeUndefined()
  holder.kill("SIGKILL")
  const lock = await waitForLock(path, { signal: AbortSignal.timeout(20_000) })
  lock.release()
})

test("waiting for a lock ends on an abort", async () => {
  const path = join(folder, "a.lock")
  const held = tryLock(path)
  const abort = new AbortController()
  const waiting = waitForLock(path, { signal: abort.signal })
  abort.abort()
  await expect(waiting).rejects.toMatchObject({ name: "AbortError" })
  held?.release()
})

test("a folder that cannot be written is an error, not a lock held by another process", () => {
  expect(() => tryLock(join(folder, "missing", "a.lock"))).toThrow(/unable to open/)
})
