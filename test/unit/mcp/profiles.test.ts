import { describe, expect, it } from "vitest"
import { configSchema } from "../../../contracts/config/config.ts"
import type { McpServerOptions } from "../../../mcp/mcp-context.ts"
import { connectAs } from "./connect-as.ts"
import { clientFixture, loaded } from "../client/client-fixture.ts"

const stored = { ...loaded, config: configSchema.parse({ profiles: { source: "store" } }) }
const toolsets = ["sessions", "profiles"] as const

const open = async (options: Partial<McpServerOptions> = {}) => {
  const fixture = await clientFixture({ loaded: options.loaded ?? stored })
  return {
    ...fixture,
    mcp: await connectAs(fixture, "boss", { loaded: stored, toolsets, actorName: "boss", ...options }),
  }
}

describe("profiles over MCP", () => {
  it("are created, read, edited and deleted, with audit rows", async () => {
    const { mcp, store } = await open()
    const profile = { prompt: "You edit." }
    expect((await mcp.call("profiles_create", { name: "editor", profile })).data).toMatchObject({ version: 1 })
    const { data } = await mcp.call("profiles_list", { name: "editor" })
    expect(data).toMatchObject({ profiles: [{ id: "editor", version: 1, profile }] })
    expect((await mcp.call("profiles_list", {})).text).toContain("- editor (store)")
    const update = (version: number) =>
      mcp.call("profiles_update", { name: "editor", profile: { prompt: "Shorter." }, version })
    expect((await update(1)).data).toMatchObject({ version: 2, updated_by: "boss" })
    expect((await update(1)).text).toMatch(/^PROFILE_CHANGED: /)
    expect((await mcp.call("profiles_create", { name: "x", profile: { type: "binary", command: "sh" } })).text).toMatch(
      /^VALIDATION_ERROR: .*only the configuration file/,
    )
    expect((await mcp.call("profiles_delete", { name: "editor" })).data).toEqual({ deleted: "editor" })
    expect((await mcp.call("profiles_delete", { name: "editor" })).text).toMatch(/^PROFILE_NOT_FOUND: /)
    expect((await store.audit.list({})).map(({ action, by, via }) => [action, by, via])).toEqual([
      ["profile-delete", "boss", "mcp"],
      ["profile-update", "boss", "mcp"],
      ["profile-create", "boss", "mcp"],
    ])
  })

  it.each<[string, Partial<McpServerOptions>]>([
    ["the configuration does not allow it", { loaded }],
    ["the toolset is not requested", { toolsets: ["sessions"] }],
    ["the client may not approve", { noApprove: true }],
    ["the client may only read", { readOnly: true }],
    ["the client may not use every directory", { directories: ["/srv/project"] }],
  ])("are not offered if %s", async (_, options) => {
    const { mcp, store } = await open(options)
    expect(await mcp.request("tools/list", {})).not.toContain("profiles_")
    expect(
      await mcp.request("tools/call", { name: "profiles_create", arguments: { name: "editor", profile: {} } }),
    ).toContain("not found")
    expect(await store.profiles.list()).toEqual([])
  })
})
