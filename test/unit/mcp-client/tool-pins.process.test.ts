import { mkdtempSync, readdirSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import type { ToolListWarning } from "../../../domain/tools/tool-list-change.ts"
import { checkSchema } from "../../../sessions/result/check-schema.ts"
import { createMcpServers, type McpServers } from "../../../mcp-client/mcp-servers.ts"
import { acceptToolLists, createToolPins, listToolPins } from "../../../mcp-client/tool-pins.ts"
import { createTestServerConfig } from "../../helpers/mcp/server-config.ts"

const program = { cwd: "/", envFrom: {}, timeoutMs: 20_000, trustReadOnlyHint: false }
let dataDir: string
let opened: McpServers[] = []
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), "adjutant-pins-"))
})
afterEach(async () => {
  await Promise.all(opened.splice(0).map((servers) => servers.close()))
})

/** Lists the tools as a worker of its own does, and returns what it logged and what a run was told. */
const list = async (env: Readonly<Record<string, string>>, times = 1, folder = dataDir) => {
  const logged: ToolListWarning[] = []
  const servers = createMcpServers({
    checkSchema,
    env: {},
    toolEnv: () => ({}),
    patienceMs: 25_000,
    pins: createToolPins(folder),
    onChanged: (warning) => logged.push(warning),
  })
  opened = [...opened, servers]
  const run = { mcpServers: { docs: { ...createTestServerConfig(env), ...program } }, envAllow: [] }
  let found = await servers.tools(run, ["*"])
  for (let more = 1; more < times; more += 1) found = await servers.tools(run, ["*"])
  expect(found.down).toEqual([])
  return { logged, changed: found.changed, tools: found.tools }
}

const other = { TEST_OTHER_TOOLS: "1" }
const change = { server: "docs", added: ["upload"], removed: [], changed: ["echo"] }
const pinFiles = () => readdirSync(join(dataDir, "mcp-tools"))

// Each test starts several servers.
describe("the tools of an MCP server", { timeout: 120_000 }, () => {
  it("are pinned when they are listed for the first time, for this user only", async () => {
    expect(await list({}, 3)).toMatchObject({ logged: [], changed: [] })
    expect(await list({})).toMatchObject({ logged: [], changed: [] })
    expect(pinFiles()).toEqual([expect.stringMatching(/^[0-9a-f]{64}\.json$/)])
    expect(statSync(join(dataDir, "mcp-tools")).mode & 0o777).toBe(0o700)
    expect(statSync(join(dataDir, "mcp-tools", pinFiles()[0] ?? "")).mode & 0o777).toBe(0o600)
    expect(await listToolPins(dataDir)).toEqual([
      { server: "docs", pinnedAt: expect.any(String), tools: expect.any(Number) },
    ])
  })

  it("lead to a warning as long as they differ, which is logged once by each worker", async () => {
    await list({})
    const { logged, changed, tools } = await list(other, 3)
    expect(changed).toMatchObject([change])
    expect(changed[0]?.message).toMatch(
      /^the tools of MCP server docs differ from those pinned at 20.*Z: changed echo; new upload$/,
    )
    expect(logged).toEqual(changed)
    expect(tools.map(({ name }) => name)).toContain("mcp__docs__upload")
    expect((await list(other)).logged).toMatchObject([change])
    expect(await listToolPins(dataDir)).toMatchObject([{ server: "docs", warning: { added: ["upload"] } }])
    expect((await list({})).logged).toEqual([])
    expect((await listToolPins(dataDir))[0]).not.toHaveProperty("warning")
  })

  it("are pinned again if they are accepted", async () => {
    await list({})
    await list(other)
    expect(await acceptToolLists(dataDir, "another")).toEqual([])
    expect(await acceptToolLists(dataDir, "docs")).toMatchObject([{ warning: { changed: ["echo"] } }])
    expect((await list(other)).changed).toEqual([])
    expect((await list({})).changed).toMatchObject([{ added: [], removed: ["upload"], changed: ["echo"] }])
  })

  it("stay usable, with a warning, if a pin is damaged or the folder cannot be written", async () => {
    await list({})
    writeFileSync(join(dataDir, "mcp-tools", pinFiles()[0] ?? ""), "{}")
    const damaged = await list({})
    expect(damaged.tools.length).toBeGreaterThan(3)
    expect(damaged.logged[0]?.message).toMatch(
      /^the tools of MCP server docs could not be compared with the pinned ones: .*its content is not valid; remove the file/,
    )
    await expect(listToolPins(dataDir)).rejects.toMatchObject({ code: "data_dir_unusable" })
    expect((await list({}, 1, join(dataDir, "missing"))).logged).toMatchObject([{ changed: [] }])
  })
})
