import { describe, expect, it } from "vitest"
import { commandTable } from "../../../../cli/command-table.ts"
import { runCli } from "../../../../cli/run-cli.ts"
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

  it("fits into a narrow terminal", async () => {
    const { environment, written } = stubEnvironment()
    const stdout = { write: (text: string) => environment.io.stdout.write(text), columns: 60 }
    await runCli(["--help"], { ...environment, io: { ...environment.io, stdout } })
    const lines = written.stdout.split("\n").filter((line) => line.startsWith("  "))
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(60)
  })
})

describe("the help of a command", () => {
  it("names the options of every command in one line, and a topic lists them", async () => {
    const stub = stubEnvironment()
    expect(await runCli(["list", "--help"], stub.environment)).toBe(0)
    expect(stub.written.stdout).toContain("Options of every command: adjutant help options\n")
    expect(stub.written.stdout).not.toContain("--data-dir")
    const topic = stubEnvironment()
    expect(await runCli(["help", "options"], topic.environment)).toBe(0)
    for (const option of ["--output <format>", "--data-dir <dir>", "--server <url>"])
      expect(topic.written.stdout).toContain(option)
  })

  it("is the same for a short name", async () => {
    const [short, long] = [stubEnvironment(), stubEnvironment()]
    await runCli(["ls", "--help"], short.environment)
    await runCli(["list", "--help"], long.environment)
    expect(short.written.stdout).toBe(long.written.stdout)
  })
})

describe("a mistyped command", () => {
  it("is never answered with a command that ends tasks", async () => {
    const ending = commandTable.filter(({ endsTasks }) => endsTasks === true).map(({ name }) => name)
    expect(ending).toEqual(["cancel", "kill", "stop", "delete", "prune"])
    for (const name of ["show", "stp", "cancle", "kil", "delte", "step"]) {
      const stub = stubEnvironment()
      expect(await runCli([name], stub.environment)).toBe(2)
      const [, suggestion = ""] = /Did you mean (.*)/.exec(stub.written.stderr) ?? []
      for (const each of ending) expect(suggestion.split(/\W+/)).not.toContain(each)
    }
  })

  it("is refused, even if help is requested", async () => {
    for (const option of ["--help", "-h"]) {
      const stub = stubEnvironment()
      expect(await runCli(["watcher", option], stub.environment)).toBe(2)
      expect(stub.written).toMatchObject({ stdout: "", stderr: expect.stringContaining("unknown command 'watcher'") })
    }
  })

  it("leads from the names of other programs to the commands that they mean", async () => {
    for (const [name, command] of [
      ["show", "info"],
      ["status", "info"],
      ["watch", "wait"],
    ] as const) {
      const stub = stubEnvironment()
      expect(await runCli([name], stub.environment)).toBe(2)
      expect(stub.written.stderr).toContain(`Did you mean ${command}?`)
    }
  })

  it("is answered with a similar one that is safe", async () => {
    const stub = stubEnvironment()
    await runCli(["lst"], stub.environment)
    expect(stub.written.stderr).toContain("Did you mean list?")
  })
})
