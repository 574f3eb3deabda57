import { describe, expect, it } from "vitest"
import { runCli } from "../../../cli/run-cli.ts"
import { stubEnvironment } from "./stub-environment.ts"

const refusal = (code: string, path?: string): Error =>
  Object.assign(new Error(`${code}: refused`), { code, syscall: "write", ...(path === undefined ? {} : { path }) })

const list = async (openError: Error, ...flags: readonly string[]) => {
  const stub = stubEnvironment({ openError })
  return { exitCode: await runCli(["list", ...flags], stub.environment), stderr: stub.written.stderr }
}

describe("what the machine refuses", () => {
  it.each([
    [refusal("ENOSPC"), "adjutant: The disk is full: free some space, or choose another place with --data-dir.\n"],
    [refusal("EROFS", "/srv/data"), expect.stringContaining("/srv/data cannot be read or written (EROFS): change")],
    [refusal("EMFILE"), expect.stringContaining("`ulimit -n`")],
  ])("%s is told with what to do, not as an internal error", async (error, text) => {
    expect(await list(error)).toEqual({ exitCode: 1, stderr: text })
  })

  it("shows the stack where it is asked for, and calls a bug a bug", async () => {
    expect((await list(refusal("ENOSPC"), "--verbose")).stderr).toContain("    at ")
    expect((await list(new Error("oops"))).stderr).toContain("internal error: oops")
  })
})
