import { spawnSync } from "node:child_process"
import { hostname } from "node:os"
import { describe, expect, it } from "vitest"
import { mayBeAlive, newWorkerIdentity } from "../../../../engine/workers/has-worker.ts"

describe("the identity of a worker", () => {
  const { pid: ended } = spawnSync(process.execPath, ["--version"])

  it("is new each time, and shows that the process is running", () => {
    const identity = newWorkerIdentity()
    expect(newWorkerIdentity()).not.toBe(identity)
    expect(mayBeAlive(identity)).toBe(true)
  })

  it("shows that the process has ended", () => {
    const identity = newWorkerIdentity().replace(/^\d+/, String(ended))
    expect(mayBeAlive(identity)).toBe(false)
  })

  it("counts as alive if it is of another machine or has another form", () => {
    expect(mayBeAlive(`${ended}@another-machine/12345678`)).toBe(true)
    expect(mayBeAlive("a name")).toBe(true)
  })

  it("counts as alive if it is of another system with the same host name, or of another container of this one", () => {
    const identity = newWorkerIdentity().replace(/^\d+/, String(ended))
    expect(mayBeAlive(identity.replace(/\/\w/, "/x"))).toBe(true)
    expect(mayBeAlive(`${ended}@${hostname()}/12345678`)).toBe(true)
  })
})
