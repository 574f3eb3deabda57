import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { readFileSync } from "node:fs"
import { afterEach, describe, expect, it, vi } from "vitest"
import { startTicksOf } from "../../../../domain/engine/process-stat.ts"
import { mayBeRunning } from "../../../../engine/workers/may-be-running.ts"
import { eventually } from "../../../helpers/eventually.ts"

/** An id that no process has: Linux assigns none above 4,194,304. */
const unused = 5_000_000

afterEach(() => void vi.restoreAllMocks())

const refuseWith = (code: string) =>
  vi.spyOn(process, "kill").mockImplementation(() => {
    throw Object.assign(new Error(code), { code })
  })

describe("mayBeRunning", () => {
  it("is true for this process, and false for one that has ended", () => {
    expect(mayBeRunning(process.pid)).toBe(true)
    expect(mayBeRunning(spawnSync(process.execPath, ["--version"]).pid)).toBe(false)
  })

  it("is true for a process of another user, also if the system hides it", () => {
    refuseWith("EPERM")
    expect(mayBeRunning(process.pid)).toBe(true)
    expect(mayBeRunning(unused)).toBe(true)
  })

  it("is false if the system knows no such process", () => {
    refuseWith("ESRCH")
    expect(mayBeRunning(process.pid)).toBe(false)
  })

  it.runIf(process.platform === "linux")("is false for a zombie", async () => {
    // The program that replaces the shell does not wait for the shell's child, which ends once the shell is replaced.
    const child = '(while [ "$(cat /proc/$$/comm)" = sh ]; do :; done)'
    const parent = spawn("sh", ["-c", `${child} & echo $!; exec sleep 60`], { stdio: ["ignore", "pipe", "ignore"] })
    try {
      const pid = Number(String((await once(parent.stdout, "data"))[0]))
      const isZombie = () => readFileSync(`/proc/${pid}/stat`, "utf8").includes(") Z ")
      await eventually(isZombie)
      expect(mayBeRunning(pid)).toBe(false)
    } finally {
      parent.kill("SIGKILL")
    }
  })
})

describe("startTicksOf", () => {
  const stat = (state: string) =>
    `17 (a) b (c) ${state} ${Array.from({ length: 40 }, (_, index) => index + 4).join(" ")}`

  it("returns the 22nd field, whatever the program is called", () => {
    expect(startTicksOf(stat("S"))).toBe("22")
  })

  it.each(["Z", "X"])("returns undefined for a process in state %s", (state) => {
    expect(startTicksOf(stat(state))).toBeUndefined()
  })
})
