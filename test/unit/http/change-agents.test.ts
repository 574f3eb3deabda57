import { describe, expect, it } from "vitest"
import { httpFixture } from "./http-fixture.ts"

const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
const tokens = [
  { name: "worker", tokenEnv: "RUN_TOKEN", scopes: ["read" as const, "run" as const, "approve" as const] },
  { name: "boss", tokenEnv: "BOSS_TOKEN", scopes: ["admin" as const] },
]
const env = { RUN_TOKEN: "run-secret", BOSS_TOKEN: "boss-secret" }
const config = { http: { tokens }, profiles: { source: "store" } } as const
const profile = { prompt: "You edit.", tools: ["Read", "Edit"] }
const one = "/v1/agents/editor"

describe("profiles over HTTP", () => {
  it("are created, edited and deleted by a token with the scope admin, with audit rows", async () => {
    const { ask, store } = await httpFixture({ config, env })
    const headers = bearer("boss-secret")
    const created = await ask({ method: "POST", url: "/v1/agents", headers, payload: { name: "editor", profile } })
    expect(created).toMatchObject({ status: 201, headers: { location: one }, body: { version: 1, updated_by: "boss" } })
    expect((await ask({ url: one, headers: bearer("run-secret") })).body).toEqual(created.body)
    const put = (version: number, prompt: string, key?: string) =>
      ask({
        ...{ method: "PUT", url: one, payload: { profile: { ...profile, prompt }, version } },
        headers: { ...headers, ...(key === undefined ? {} : { "idempotency-key": key }) },
      })
    const edited = await put(1, "You edit shortly.", "k1")
    expect(edited).toMatchObject({ status: 200, body: { version: 2, profile: { prompt: "You edit shortly." } } })
    // The same request again gets the same answer; another one with an old version is refused.
    expect((await put(1, "You edit shortly.", "k1")).body).toEqual(edited.body)
    expect(await put(1, "Something else.")).toMatchObject({ status: 409, body: { code: "profile_changed" } })
    expect(await ask({ method: "DELETE", url: `${one}?version=1`, headers })).toMatchObject({ status: 409 })
    expect(await ask({ method: "DELETE", url: `${one}?version=2`, headers })).toMatchObject({ status: 204, text: "" })
    expect(await ask({ url: one, headers })).toMatchObject({ status: 404, body: { code: "profile_not_found" } })
    const rows = await store.audit.list({})
    expect(rows.map(({ action, by, via }) => [action, by, via])).toEqual([
      ["profile-delete", "boss", "http"],
      ["profile-update", "boss", "http"],
      ["profile-create", "boss", "http"],
    ])
    expect(rows[1]?.detail).toMatchObject({
      before: { prompt: "You edit." },
      after: { prompt: "You edit shortly." },
    })
  })

  it("are changed by no other token, and not if they come from the file only", async () => {
    const { ask } = await httpFixture({ config, env })
    const payload = { name: "editor", profile }
    const headers = bearer("run-secret")
    expect(await ask({ method: "POST", url: "/v1/agents", headers, payload })).toMatchObject({ status: 403 })
    expect(await ask({ method: "PUT", url: one, headers, payload: { profile, version: 1 } })).toMatchObject({
      status: 403,
    })
    expect(await ask({ method: "DELETE", url: one, headers })).toMatchObject({ status: 403 })
    const closed = await httpFixture({ config: { http: { tokens } }, env })
    expect(
      await closed.ask({ method: "POST", url: "/v1/agents", headers: bearer("boss-secret"), payload }),
    ).toMatchObject({ status: 403, body: { error: expect.stringContaining("profiles.source") } })
  })

  it("are validated like those of the file", async () => {
    const { ask } = await httpFixture({ config, env })
    const headers = bearer("boss-secret")
    const create = async (payload: object) => {
      const { status, body } = await ask({ method: "POST", url: "/v1/agents", headers, payload })
      return [status, body.error]
    }
    expect(await create({ name: "a:b", profile })).toEqual([400, expect.stringContaining("name")])
    expect(await create({ name: "sh", profile: { type: "binary", command: "/bin/sh" } })).toEqual([
      400,
      expect.stringContaining("only the configuration file can contain profiles that run programs"),
    ])
    expect(await create({ name: "editor", profile: { ...profile, maxSteps: 0 } })).toEqual([
      400,
      expect.stringContaining("profile.maxSteps"),
    ])
    expect(await create({ name: "explore", profile })).toEqual([409, expect.stringContaining("built in")])
  })
})
