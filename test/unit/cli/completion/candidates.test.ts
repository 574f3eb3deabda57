import { describe, expect, it } from "vitest"
import { runCli } from "../../../../cli/run-cli.ts"
import { session, stubEnvironment } from "../stub-environment.ts"

const client = {
  list: async () => ({
    items: [session({ id: "k3x9ab", label: "nightly", title: "Clean: up" }), session({ id: "z9" })],
    next_cursor: null,
  }),
}

const complete = async (shell: string, ...words: readonly string[]): Promise<readonly string[]> => {
  const { environment, written } = stubEnvironment({ client })
  expect(await runCli(["completion", shell, "--", ...words], environment)).toBe(0)
  return written.stdout.split("\n").filter((line) => line !== "")
}

describe("adjutant completion", () => {
  it.each(["bash", "zsh", "fish"])("prints a script for %s that asks the program", async (shell) => {
    const { environment, written } = stubEnvironment()
    expect(await runCli(["completion", shell], environment)).toBe(0)
    expect(written.stdout).toContain(`adjutant completion ${shell} -- `)
  })

  it("completes commands, their short names and commands below commands", async () => {
    expect(await complete("bash", "l")).toEqual(["list", "ls", "log", "logs"])
    expect(await complete("bash", "service", "st")).toEqual(expect.arrayContaining(["start", "stop", "status"]))
  })

  it("completes options of the command and of every command, and their values", async () => {
    const options = await complete("bash", "logs", "--")
    expect(options).toEqual(expect.arrayContaining(["--limit", "--tools", "--output"]))
    expect(await complete("bash", "list", "--status", "pa")).toEqual(["paused"])
    expect(await complete("bash", "list", "--output", "j")).toEqual(["json"])
  })

  it("completes ids and labels of tasks, and says what they are", async () => {
    expect(await complete("bash", "info", "")).toEqual(["k3x9ab", "nightly", "z9"])
    expect(await complete("zsh", "info", "n")).toEqual(["nightly:paused · Clean: up"])
    expect(await complete("fish", "--output", "json", "info", "k")).toEqual(["k3x9ab\tpaused · Clean: up"])
    expect(await complete("bash", "list", "--parent", "k")).toEqual(["k3x9ab"])
    expect(await complete("bash", "info", "k3x9ab", "")).toEqual([])
  })

  it("completes the profiles of --agent", async () => {
    expect(await complete("bash", "run", "--agent", "gen")).toEqual(["general"])
  })
})
