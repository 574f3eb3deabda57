import { cp, mkdtemp, readFile, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { execa } from "execa"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { endServicesIn } from "../../helpers/end-services.ts"

const root = join(import.meta.dirname, "../../..")
let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "adjutant-examples-"))
})
afterAll(async () => {
  await endServicesIn(folder)
  await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 })
})

/** Runs the command in an example's folder; all share one data directory, and therefore one server. */
const runIn =
  (cwd: string, more: NodeJS.ProcessEnv = {}) =>
  async (...args: readonly string[]) => {
    const command = [
      join(root, "bin/adjutant.js"),
      "--data-dir",
      join(folder, "data"),
      "run",
      ...args,
      "--output",
      "json",
    ]
    const env = { TEMPORAL_CONFIG_FILE: join(folder, "none.toml"), ...more }
    const { exitCode, stdout, stderr } = await execa(process.execPath, command, { cwd, reject: false, env })
    if (stdout === "") throw new Error(stderr)
    return { exitCode, document: JSON.parse(stdout) }
  }

describe("the example of a program as an agent", () => {
  const run = runIn(join(root, "examples/binary-agent"))

  it("counts as documented", async () => {
    expect(await run("--agent", "wordcount", "the quick brown fox")).toMatchObject({
      exitCode: 0,
      document: {
        outcome: "completed",
        final_message: '4 words, the longest is "quick"',
        usage: { input_tokens: 0, output_tokens: 0, cost_usd: 0 },
      },
    })
  })
})

describe("the example of an MCP server from npm", () => {
  const run = runIn(join(root, "examples/mcp-bridge"))

  it("answers bridges", async () => {
    expect(await run("--agent", "shout", 'quotes " and \\ backslashes')).toMatchObject({
      exitCode: 0,
      document: { final_message: 'Echo: You said: quotes " and \\ backslashes' },
    })
    expect(await run("--agent", "sum", "2")).toMatchObject({
      document: { final_message: "The sum of 40 and 2 is 42." },
    })
    expect(await run("--agent", "sum", "two")).toMatchObject({
      exitCode: 1,
      document: { outcome: "failed", error: { code: "invalid_argument" } },
    })
  })

  it("offers its tools to a model", async () => {
    expect(await run("Add 2 and 3, and look at the weather")).toMatchObject({
      exitCode: 0,
      document: { final_message: "The sum is 5, and I have the weather of Chicago." },
    })
  })
})

describe("the example of hooks", () => {
  it("enforces a policy, and writes an audit line for every end", async () => {
    const cwd = join(folder, "hooks")
    await cp(join(root, "examples/hooks"), cwd, { recursive: true })
    // A copy of an example is a project of its own.
    await expect(runIn(cwd)("--agent", "say", "Look around")).rejects.toThrow("is not trusted")
    const run = runIn(cwd, { ADJUTANT_TRUST: "1" })
    expect(await run("--agent", "say", "Look around")).toMatchObject({ document: { final_message: "done" } })
    expect(await run("--agent", "say", "Deploy to production")).toMatchObject({
      exitCode: 1,
      document: { error: { code: "hook_refused", message: expect.stringContaining("do not touch production") } },
    })
    const lines = (await readFile(join(cwd, "audit.log"), "utf8")).trim().split("\n")
    expect(lines.map((line) => line.split(" ").slice(2).join(" "))).toEqual(["say completed", "say hook_refused"])
  })
})
