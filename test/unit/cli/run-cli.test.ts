import { describe, expect, it } from "vitest"
import { runCli } from "../../../cli/run-cli.ts"
import { AdjutantError } from "../../../contracts/adjutant-error.ts"
import { stubEnvironment } from "./stub-environment.ts"

const refusal = (code: string, path?: string): Error =>
  Object.assign(new Error(`${code}: refused`), { code, syscall: "write", ...(path === undefined ? {} : { path }) })

const list = async (openError: Error, ...flags: readonly string[]) => {
  const stub = stubEnvironment({ openError })
  return { exitCode: await runCli(["list", ...flags], stub.environment), stderr: stub.written.stderr }
}

describe("a problem of the configuration", () => {
  it("is printed line by line", async () => {
    const problems = new AdjutantError("invalid_config", "a.yaml:1: x: unknown key\na.yaml:2: y: is missing")
    expect(await list(problems)).toEqual({
      exitCode: 2,
      stderr: "adjutant: a.yaml:1: x: unknown key\nadjutant: a.yaml:2: y: is missing\n",
    })
  })
})

describe("an error of the operating system", () => {
  it.each([
    [refusal("ENOSPC"), "adjutant: the disk is full: free some space, or choose another directory with --data-dir\n"],
    [refusal("EROFS", "/srv/data"), expect.stringContaining("/srv/data cannot be read or written (EROFS): change")],
    [refusal("EMFILE"), expect.stringContaining("`ulimit -n`")],
  ])("%s is explained with what to do, not as an internal error", async (error, text) => {
    expect(await list(error)).toEqual({ exitCode: 1, stderr: text })
  })

  it("includes the stack on request; a bug is reported as a bug", async () => {
    expect((await list(refusal("ENOSPC"), "--verbose")).stderr).toContain("    at ")
    expect((await list(new Error("oops"))).stderr).toContain("internal error: oops")
  })
})

describe("the advice of an error", () => {
  const unknown = () =>
    new AdjutantError("session_not_running", "it has ended", { reason: { about: "state", task_id: "abc123" } })

  it("names a command that finds the place of this one", async () => {
    const { exitCode, stderr } = await list(unknown(), "--data-dir", "/srv/my data")
    expect(stderr).toBe(
      "adjutant: it has ended: run \"adjutant info abc123 --data-dir '/srv/my data'\" to see its state\n",
    )
    expect(exitCode).toBe((await list(unknown())).exitCode)
    expect((await list(unknown())).stderr).toBe('adjutant: it has ended: run "adjutant info abc123" to see its state\n')
  })
})
