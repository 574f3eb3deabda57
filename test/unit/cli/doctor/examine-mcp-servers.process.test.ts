import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, test } from "vitest"
import { stringify } from "yaml"
import { examineMcpServers } from "../../../../cli/doctor/examine-mcp-servers.ts"
import { loadConfig } from "../../../../config/load-config.ts"
import { oddServer } from "../../../helpers/mcp/odd-server.ts"

test("doctor connects to each MCP server, and says which do not answer and which tools cannot be used", async () => {
  const cwd = mkdtempSync(join(tmpdir(), "adjutant-doctor-"))
  const odd = { command: process.execPath, args: ["-e", oddServer] }
  const broken = { command: process.execPath, args: ["-e", "console.error('no licence'); process.exit(1)"] }
  writeFileSync(join(cwd, "adjutant.config.yaml"), stringify({ mcpServers: { odd, broken }, tools: { maxOffered: 5 } }))
  const env = { PATH: process.env["PATH"], HOME: cwd, ADJUTANT_TRUST: "1" }
  const loaded = await loadConfig({ cwd, env, dataDir: join(cwd, "data") })
  expect(await examineMcpServers(loaded, env)).toMatchObject([
    { status: "ok", detail: "odd (6 tools)" },
    {
      status: "ok",
      detail: expect.stringMatching(/^the list of a model has at most 5 tools .*of these 6, find_tools/),
    },
    { status: "warn", detail: expect.stringMatching(/^MCP server broken cannot be reached: .*no licence/s) },
    {
      status: "warn",
      detail: expect.stringMatching(/^MCP server odd lists a tool that cannot be used, bad: inputSchema: /),
    },
    { status: "warn", detail: "MCP server odd lists tools that cannot be used: a page of the list could not be read" },
  ])
})
