import { spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync } from "node:fs"
import { open } from "node:fs/promises"
import { describe, expect, it } from "vitest"
import { freePort } from "../../../server/exposure/choose-ports.ts"
import { launcher, programEnv } from "./program.ts"
import { untilPasses } from "../../helpers/eventually.ts"

// A run whose progress nobody read any more (`2>&1 | head`) crashed and left its task without a worker; a full disk showed a stack trace.

const fullDevice = "/dev/full"

describe("output that cannot be written", () => {
  it("ends nothing if the reader of stderr has gone", async () => {
    const port = await freePort(new Set())
    const child = spawn(
      process.execPath,
      [launcher, "temporal-ui", "--upstream", "127.0.0.1:1", "--port", String(port)],
      { env: programEnv(), stdio: ["ignore", "ignore", "pipe"] },
    )
    const exit = once(child, "exit")
    child.stderr.destroy()
    // It writes to stderr as soon as it listens.
    await untilPasses(() => fetch(`http://127.0.0.1:${port}/`))
    child.kill("SIGTERM")
    expect(await exit).toEqual([0, null])
  })

  it.skipIf(!existsSync(fullDevice)).each([
    [["--version"], 1],
    [["help", "run"], 1],
  ])("is reported in one line if results are lost: %j", async (argv, code) => {
    const full = await open(fullDevice, "w")
    const child = spawn(process.execPath, [launcher, ...argv], {
      env: programEnv(),
      stdio: ["ignore", full.fd, "pipe"],
    })
    let stderr = ""
    child.stderr?.setEncoding("utf8").on("data", (text: string) => (stderr += text))
    expect(await once(child, "close")).toEqual([code, null])
    await full.close()
    expect(stderr).toBe("adjutant: the output is incomplete: standard output cannot be written (ENOSPC)\n")
  })
})
