import { describe, expect, it } from "vitest"
import { commandTable } from "../../../../cli/program/command-table.ts"
import { runCli } from "../../../../cli/program/run-cli.ts"
import { stubEnvironment } from "../stub-environment.ts"

/** Returns the commands that a help text lists, by heading. */
const listedIn = (help: string): ReadonlyMap<string, readonly string[]> =>
  new Map(
    help.split("\n\n").flatMap((part) => {
      const [heading = "", ...lines] = part.trim().split("\n")
      const names = lines.flatMap((line) => /^ {2}([a-z][a-z-]*) /.exec(line)?.[1] ?? [])
      return names.length === 0 || !heading.endsWith(":") ? [] : [[heading, names]]
    }),
  )

describe("adjutant --help", () => {
  it("lists each command once, below the heading of its group", async () => {
    const stub = stubEnvironment()
    await runCli(["--help"], stub.environment)
    const listed = listedIn(stub.written.stdout)
    expect([...listed.keys()].length).toBeGreaterThan(3)
    expect([...listed.values()].flat()).toEqual([...commandTable.map(({ name }) => name), "help"])
    expect(listed.get("Decide about calls:")).toEqual(["approvals", "grant", "grants", "revoke"])
  })
})

describe("a mistyped command", () => {
  it("is never answered with a command that ends tasks", async () => {
    const ending = commandTable.filter(({ endsTasks }) => endsTasks === true).map(({ name }) => name)
    expect(ending).toEqual(["cancel", "kill", "stop", "delete"])
    for (const name of ["show", "stp", "cancle", "kil", "delte", "step"]) {
      const stub = stubEnvironment()
      expect(await runCli([name], stub.environment)).toBe(2)
      const [, suggestion = ""] = /Did you mean (.*)/.exec(stub.written.stderr) ?? []
      for (const each of ending) expect(suggestion.split(/\W+/)).not.toContain(each)
    }
  })

  it("is answered with a similar one that is safe", async () => {
    const stub = stubEnvironment()
    await runCli(["lst"], stub.environment)
    expect(stub.written.stderr).toContain("Did you mean list?")
  })
})
