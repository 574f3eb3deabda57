import assert from "node:assert/strict"
import { readFile, writeFile } from "node:fs/promises"
import path from "node:path"
import { Client } from "@modelcontextprotocol/client"
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio"
import { z } from "zod"
import { type PackageCheck, succeed } from "./package-check.ts"

const script = `
turns:
  - reply: { tool_calls: [{ name: LS, arguments: { path: . } }] }
  - expect: { tool_results: [{ name: LS, outcome: ok, contains: script.yaml }] }
    reply: { text: The package works. }
`

const config = `models: { main: { provider: scripted, script: script.yaml } }\n`

/** A first call may find or build the engine. */
const mcpPatience = { timeout: 600_000 }

/** Checks of the program, installed in a project or globally, in a folder that is independent of the checkout. */
export const commandChecks: readonly PackageCheck[] = [
  {
    name: "adjutant --help and --version answer",
    check: async ({ run, adjutant, home }) => {
      assert.match(succeed(await run(adjutant, ["--help"])), /\brun\b/)
      const { version } = z
        .object({ version: z.string() })
        .parse(JSON.parse(await readFile(path.join(home, "package.json"), "utf8")))
      assert.equal(succeed(await run(adjutant, ["--version"])).trim(), version)
    },
  },
  {
    name: "adjutant run completes with a scripted model",
    check: async ({ project, run, adjutant }) => {
      await writeFile(path.join(project, "script.yaml"), script)
      await writeFile(path.join(project, "adjutant.config.yaml"), config)
      const stdout = succeed(await run(adjutant, ["run", "--output", "json", "--data-dir", "data", "Look around."]))
      const outcome = z.object({ outcome: z.string(), final_message: z.string() }).parse(JSON.parse(stdout))
      assert.deepEqual(outcome, { outcome: "completed", final_message: "The package works." })
    },
  },
  {
    name: "adjutant mcp serves its tools to a client, and a call works",
    check: async ({ project, adjutant }) => {
      await writeFile(path.join(project, "script.yaml"), script)
      await writeFile(path.join(project, "adjutant.config.yaml"), config)
      const client = new Client({ name: "package-check", version: "1.0.0" }, { capabilities: {} })
      const env = { PATH: process.env["PATH"] ?? "", HOME: process.env["HOME"] ?? "" }
      await client.connect(
        new StdioClientTransport({
          command: adjutant,
          args: ["mcp", "--data-dir", "data"],
          cwd: project,
          env,
          stderr: "ignore",
        }),
        mcpPatience,
      )
      try {
        assert.match(client.getServerVersion()?.name ?? "", /adjutant/)
        const { tools } = await client.listTools(undefined, mcpPatience)
        assert.ok(tools.some(({ name }) => name === "Task") && tools.some(({ name }) => name === "sessions_spawn"))
        const answer = await client.callTool(
          { name: "Task", arguments: { description: "Look", prompt: "Look around.", subagent_type: "general" } },
          mcpPatience,
        )
        assert.match(JSON.stringify(answer), /The package works\./)
      } finally {
        await client.close()
      }
    },
  },
  {
    name: "adjutant demo finds the files that it needs",
    check: async ({ run, adjutant }) => {
      assert.match(succeed(await run(adjutant, ["demo", "--offline"])), /completed/)
    },
  },
  {
    name: "adjutant serve serves the web page",
    check: async ({ project, start, adjutant }) => {
      const server = start(adjutant, ["serve", "--port", "0", "--data-dir", path.join(project, "data")])
      try {
        const url = await server.lineWith(/listening on (\S+)\n/)
        const page = await fetch(url)
        assert.equal(page.status, 200)
        assert.match(await page.text(), /<title>Adjutant<\/title>/)
        assert.equal((await fetch(`${url}/app.js`)).status, 200)
      } finally {
        await server.stop()
      }
    },
  },
]
