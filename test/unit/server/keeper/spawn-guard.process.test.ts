import { spawn } from "node:child_process"
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, expect, test } from "vitest"
import { spawnGuard } from "../../../../server/keeper/spawn-guard.ts"
import { takeLease } from "../../../../server/keeper/user-lease.ts"
import { identifyProcess, identifyThisProcess, isAlive } from "../../../../server/process/process-identity.ts"
import { serverFiles } from "../../../../server/process/server-files.ts"
import { stopTemporal } from "../../../../server/process/temporal-process.ts"
import { eventually } from "../../../helpers/eventually.ts"

let dataDir: string
let users: string
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), "adjutant-guard-"))
  users = serverFiles(dataDir).users
  mkdirSync(users, { recursive: true })
})
afterEach(() => rmSync(dataDir, { recursive: true, force: true }))

/** A program in place of Temporal. */
const startProgram = () => {
  const child = spawn("sleep", ["600"], { stdio: "ignore" })
  const identity = identifyProcess(child.pid ?? 0)
  if (identity === undefined) throw new Error("sleep cannot be started")
  return identity
}

const guardOf = (identity: ReturnType<typeof startProgram>) => {
  const guard = spawnGuard({ dataDir, env: { PATH: process.env["PATH"] }, lingerMs: 0, stopGraceMs: 1_000 }, identity)
  if (guard === undefined) throw new Error("no guard was started")
  return guard
}

test("a process with a user runs on, and ends after its last user, and its guard with it", async () => {
  const leave = takeLease(users, "test")
  const program = startProgram()
  const guard = guardOf(program)
  const unused = startProgram()
  const other = join(dataDir, "other")
  mkdirSync(serverFiles(other).users, { recursive: true })
  const second = spawnGuard({ dataDir: other, env: {}, lingerMs: 0, stopGraceMs: 1_000 }, unused)
  // Its guard began later: by then the first one has looked.
  await eventually(() => !isAlive(unused) && (second === undefined || !isAlive(second)))
  expect([isAlive(program), isAlive(guard)]).toEqual([true, true])
  leave()
  await eventually(() => !isAlive(program) && !isAlive(guard))
})

test("a lease of an earlier process with the same number does not count", async () => {
  const lease = { ...identifyThisProcess(), start: "earlier", since: "2026-01-01T00:00:00Z", purpose: "run" }
  writeFileSync(join(users, `${process.pid}-00ff`), `${JSON.stringify(lease)}\n`)
  const program = startProgram()
  guardOf(program)
  await eventually(() => !isAlive(program))
})

test.runIf(process.platform === "linux")("a guard leaves a process alone that has the number of its own", async () => {
  const program = startProgram()
  const guard = guardOf({ ...program, start: `${program.start}1` })
  await eventually(() => !isAlive(guard))
  expect(isAlive(program)).toBe(true)
  await stopTemporal(program, 1_000)
})

test.runIf(process.platform === "linux")(
  "a guard needs a few megabytes, and ends when its process is stopped",
  async () => {
    takeLease(users, "test")
    const program = startProgram()
    const guard = guardOf(program)
    const [, kilobytes] = /^VmRSS:\s*(\d+) kB/m.exec(readFileSync(`/proc/${guard.pid}/status`, "utf8")) ?? []
    expect(Number(kilobytes)).toBeLessThan(5_000)
    await stopTemporal({ ...program, guard }, 1_000)
    await eventually(() => !isAlive(guard))
  },
)

test("a process whose data directory was removed ends at once", async () => {
  const program = startProgram()
  spawnGuard({ dataDir, env: {}, lingerMs: 600_000, stopGraceMs: 1_000 }, program)
  rmSync(dataDir, { recursive: true })
  await eventually(() => !isAlive(program))
})
