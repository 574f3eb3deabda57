import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, expect, test } from "vitest"
import { identifyThisProcess } from "../../../../server/process/process-identity.ts"
import { liveLeases, sweepLeases, takeLease } from "../../../../server/keeper/user-lease.ts"

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "adjutant-lease-"))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

test("a lease counts until it is released", () => {
  const leaveFirst = takeLease(folder, "dev")
  const leaveSecond = takeLease(folder, "run")
  expect(liveLeases(folder).map(({ purpose, pid }) => ({ purpose, pid }))).toEqual(
    expect.arrayContaining([
      { purpose: "dev", pid: process.pid },
      { purpose: "run", pid: process.pid },
    ]),
  )
  leaveFirst()
  leaveFirst()
  expect(liveLeases(folder)).toHaveLength(1)
  leaveSecond()
  expect(readdirSync(folder)).toEqual([])
})

test("a lease of an earlier process with the same id does not count and is removed", () => {
  const lease = { ...identifyThisProcess(), start: "earlier", since: "2026-01-01T00:00:00Z", purpose: "run" }
  writeFileSync(join(folder, `${process.pid}-00ff`), JSON.stringify(lease))
  const leave = takeLease(folder, "dev")
  expect(liveLeases(folder)).toHaveLength(1)
  sweepLeases(folder)
  expect(readdirSync(folder)).toHaveLength(1)
  leave()
})

test("files that are not leases stay, and a missing folder has no users", () => {
  writeFileSync(join(folder, "notes.txt"), "keep")
  writeFileSync(join(folder, "12-ab"), "{half")
  sweepLeases(folder)
  expect(readdirSync(folder)).toHaveLength(2)
  expect(liveLeases(folder)).toEqual([])
  expect(liveLeases(join(folder, "missing"))).toEqual([])
})
