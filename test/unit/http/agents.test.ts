import { describe, expect, it } from "vitest"
import { httpFixture } from "./http-fixture.ts"

const secret = "sk-secret-of-the-program"
const config = {
  agents: {
    reviewer: { type: "llm", description: "Reviews changes", prompt: "Review.", maxSteps: 7 },
    wordcount: { type: "binary", command: "./wc.sh", env: { TOKEN: secret } },
  },
} as const

describe("GET /v1/agents", () => {
  it("lists the built-in profiles and those of the configuration", async () => {
    const { ask } = await httpFixture({ config })
    const { status, body } = await ask({ url: "/v1/agents" })
    expect([status, body.next_cursor]).toEqual([200, null])
    expect(body.items.map(({ id, type }: { id: string; type: string }) => [id, type])).toEqual([
      ["general", "llm"],
      ["explore", "llm"],
      ["plan", "llm"],
      ["summary", "llm"],
      ["reviewer", "llm"],
      ["wordcount", "binary"],
    ])
    expect(body.items[4]).toEqual({
      id: "reviewer",
      type: "llm",
      delegation: "none",
      description: "Reviews changes",
      active: 0,
      source: "config",
      sessions: [],
    })
  })

  it("has the models and directories that a new run can name next to it", async () => {
    const spec = { name: "main", provider: "scripted" as const, model: "demo", maxOutputTokens: 1_000 }
    const price = { inputPerMTok: 3, outputPerMTok: 15, cacheReadPerMTok: 1, cacheWritePerMTok: 1 }
    const models = { main: { ...spec, price }, free: { ...spec, name: "free", price: null } } as const
    const { ask } = await httpFixture({ config: { http: { workspaces: ["web", "/srv/other"] } }, models })
    expect((await ask({ url: "/v1/choices" })).body).toEqual({
      models: [
        { name: "main", provider: "scripted", model: "demo", input_usd: 3, output_usd: 15 },
        { name: "free", provider: "scripted", model: "demo", input_usd: null, output_usd: null },
      ],
      workspaces: ["/srv/project/web", "/srv/other"],
    })
  })

  it("lists and counts open sessions", async () => {
    const { ask, started } = await httpFixture({ config })
    const id = await started()
    const { body } = await ask({ url: "/v1/agents" })
    const sessions = [{ id, status: "pending", label: null, thread: null }]
    expect(body.items[0]).toMatchObject({ id: "general", active: 1, source: "built-in", sessions })
  })

  it("reads one profile with its settings, without the values of its variables", async () => {
    const { ask } = await httpFixture({ config })
    expect(await ask({ url: "/v1/agents/reviewer" })).toMatchObject({
      status: 200,
      body: { id: "reviewer", profile: { type: "llm", prompt: "Review.", maxSteps: 7 } },
    })
    const { text, body } = await ask({ url: "/v1/agents/wordcount" })
    expect(body.profile).toMatchObject({ command: "./wc.sh", env: { TOKEN: "[redacted]" } })
    expect(text).not.toContain(secret)
  })

  it("reports a profile that does not exist, with a name that comes near", async () => {
    const { ask } = await httpFixture({ config })
    expect(await ask({ url: "/v1/agents/reviwer" })).toMatchObject({
      status: 404,
      body: { code: "profile_not_found", error: expect.stringContaining("reviewer") },
    })
    expect(await ask({ url: "/v1/agents/constructor" })).toMatchObject({ status: 404 })
  })
})
