import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { runCli } from "../../../../cli/run-cli.ts"
import { createToolPins } from "../../../../mcp-client/tool-pins.ts"
import { stubEnvironment } from "../stub-environment.ts"

let root: string
beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), "adjutant-trust-cli-")))
  await mkdir(join(root, "p"))
  await writeFile(join(root, "p", "adjutant.config.yaml"), "agents: { a: { type: binary, command: ./x.sh } }\n")
})
afterEach(() => rm(root, { recursive: true, force: true }))

const adjutant = async (args: readonly string[], answer?: boolean) => {
  const questions: string[] = []
  const { environment, written } = stubEnvironment({
    cwd: join(root, "p"),
    env: { XDG_STATE_HOME: join(root, "state") },
  })
  const confirm = async (question: string) => {
    questions.push(question)
    return answer === true
  }
  const code = await runCli(args, answer === undefined ? environment : { ...environment, confirm })
  return { code, questions, ...written }
}

describe("adjutant trust", () => {
  it("shows the keys, stores the trust, lists it and withdraws it", async () => {
    const path = join(root, "p", "adjutant.config.yaml")
    const trusted = await adjutant(["trust"])
    expect(trusted).toMatchObject({ code: 0, stderr: "" })
    expect(trusted.stdout).toBe(`agents.a.command: runs a program: "./x.sh"\n${path} is trusted\n`)
    expect((await adjutant(["trust", "."])).stdout).toContain("is already trusted")
    expect((await adjutant(["trust", "--list"])).stdout).toContain(path)
    expect(await adjutant(["trust", "--revoke"])).toMatchObject({ code: 0 })
    expect(await adjutant(["trust", "--revoke"])).toMatchObject({ code: 2 })
    expect((await adjutant(["trust", "--list"])).stdout).toBe("No configuration is trusted.\n")
  })

  it("shows the names of variables and headers, and not their values", async () => {
    const config = {
      agents: { a: { type: "binary", command: "./x.sh", env: { MODE: "hunter2" }, envFrom: { API_KEY: "MY_KEY" } } },
      mcpServers: {
        s: { command: "./s.sh", env: { DEBUG: "hunter2" } },
        w: { url: "https://mcp.example.com", headers: { "x-team": "hunter2" } },
      },
    }
    await writeFile(join(root, "p", "adjutant.config.yaml"), JSON.stringify(config))
    const refused = await adjutant(["list"])
    const { stdout } = await adjutant(["trust"])
    expect(`${refused.stderr}${refused.stdout}${stdout}`).not.toContain("hunter2")
    expect(stdout).toContain('agents.a.env: runs a program: ["MODE"]\n')
    expect(stdout).toContain('agents.a.envFrom: names a secret: {"API_KEY":"MY_KEY"}\n')
    expect(stdout).toContain('mcpServers.s.env: runs a program: ["DEBUG"]\n')
    expect(stdout).toContain('mcpServers.w.headers: names a server: ["x-team"]\n')
  })

  it("withdraws the trust in a project that is gone", async () => {
    const folder = join(root, "gone")
    await mkdir(folder)
    await writeFile(join(folder, "adjutant.config.yaml"), "store: { url: 'sqlite:x.db' }\n")
    expect(await adjutant(["trust", folder])).toMatchObject({ code: 0 })
    await rm(folder, { recursive: true })
    expect(await adjutant(["trust", "--revoke", folder])).toMatchObject({ code: 0 })
  })

  it("asks at a terminal, and stores nothing without a yes", async () => {
    const declined = await adjutant(["trust"], false)
    expect(declined.code).toBe(1)
    expect(declined.questions).toEqual([
      'adjutant.config.yaml will be trusted. These keys need trust:\n  agents.a.command: runs a program: "./x.sh"\nTrust it? [y/N] ',
    ])
    expect((await adjutant(["trust", "--list"])).stdout).toBe("No configuration is trusted.\n")
    expect(await adjutant(["trust"], true)).toMatchObject({ code: 0 })
  })

  it("prints one document with --output json", async () => {
    expect(JSON.parse((await adjutant(["trust", "--output", "json"])).stdout)).toEqual({
      path: join(root, "p", "adjutant.config.yaml"),
      state: "new",
      trusted: true,
      keys: [{ key: "agents.a.command", reason: "program", value: "./x.sh" }],
      files: ["adjutant.config.yaml"],
    })
  })
})

describe("adjutant trust --mcp-tools", () => {
  const config = { command: "docs", args: [], env: {}, envFrom: {}, timeoutMs: 1, trustReadOnlyHint: false }
  const toolOf = (description: string) => [{ name: "search", description, inputSchema: { type: "object" as const } }]

  it("pins the tools that a server listed last, and says how they differ", async () => {
    const dataDir = join(root, "data")
    await mkdir(dataDir, { mode: 0o700 })
    await createToolPins(dataDir).check("docs", config, toolOf("Searches"))
    const lists = () => createToolPins(dataDir).check("docs", config, toolOf("Searches, and sends"))
    expect(await lists()).toMatchObject({ changed: ["search"] })
    const accept = ["trust", "--mcp-tools", "docs", "--trust", "--data-dir", dataDir]
    const accepted = await adjutant(accept)
    expect(accepted).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("changed search\nthe tools of docs are"),
    })
    expect(await lists()).toBeUndefined()
    const again = await adjutant([...accept, "--output", "json"])
    expect(JSON.parse(again.stdout)).toEqual({ server: "docs", added: [], removed: [], changed: [] })
  })

  it("refuses a server without pinned tools, and a path", async () => {
    const unknown = await adjutant(["trust", "--mcp-tools", "docs", "--trust"])
    expect(unknown).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("no tools of an MCP server docs are pinned"),
    })
    expect(await adjutant(["trust", "--mcp-tools", "docs", "."])).toMatchObject({ code: 2 })
  })
})

describe("a command in a project that is not trusted", () => {
  it.each([["doctor"], ["mcp"]])("exits with 2, the keys, and what to do: %s", async (command) => {
    const { code, stderr } = await adjutant([command])
    expect(code).toBe(2)
    expect(stderr).toContain('agents.a.command: runs a program: "./x.sh"')
    expect(stderr).toContain('run "adjutant trust"')
  })
})
