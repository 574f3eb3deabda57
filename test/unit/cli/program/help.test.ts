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
