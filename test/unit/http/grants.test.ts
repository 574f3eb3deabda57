import { describe, expect, it } from "vitest"
import { grantSchema } from "../../../contracts/http/grants.ts"
import { httpFixture } from "./http-fixture.ts"

const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
const tokens = [
  { name: "runner", tokenEnv: "RUN_TOKEN", scopes: ["read" as const, "run" as const] },
  { name: "boss", tokenEnv: "BOSS_TOKEN", scopes: ["read" as const, "run" as const, "approve" as const] },
]
const env = { RUN_TOKEN: "runner-secret", BOSS_TOKEN: "boss-secret" }
const config = { http: { tokens, workspaces: ["/srv/project"] } }
const body = { tool: "Write", arguments: { file_path: "docs/**" } }

describe("grants over HTTP", () => {
  it("are created, listed and revoked by an approver, with audit rows", async () => {
    const { ask, started, store } = await httpFixture({ config, env })
    const id = await started()
    const headers = bearer("boss-secret")
    const url = `/v1/sessions/${id}/grants`
    const created = await ask({ method: "POST", url, headers, payload: { ...body, expires_in_seconds: 600 } })
    expect(created.status).toBe(201)
    const grant = grantSchema.parse(created.body)
    expect(grant).toMatchObject({ ...body, session_id: id, state: "active", created_by: "boss", created_via: "http" })
    expect((await ask({ url, headers })).body).toEqual({ items: [grant], next_cursor: null })
    const revoked = await ask({ method: "DELETE", url: `${url}/${grant.id}`, headers })
    expect(revoked.body).toMatchObject({ id: grant.id, state: "revoked", revoked_by: "boss" })
    const again = await ask({ method: "POST", url: `${url}/${grant.id}/revoke`, headers, payload: {} })
    expect([again.status, again.body]).toEqual([200, revoked.body])
    const empty = await ask({ method: "POST", url: `${url}/${grant.id}/revoke`, headers })
    expect([empty.status, empty.body]).toEqual([200, revoked.body])
    const actions = (await store.audit.list({ sessionId: id })).map(({ action, by }) => [action, by])
    expect(actions.filter(([action]) => action?.startsWith("grant"))).toEqual([
      ["grant-revoke", "boss"],
      ["grant", "boss"],
    ])
  })

  it("require the scope approve, a known session and a valid pattern", async () => {
    const { ask, started } = await httpFixture({ config, env })
    const id = await started()
    const post = async (token: string, payload: object, session = id) => {
      const url = `/v1/sessions/${session}/grants`
      const answer = await ask({ method: "POST", url, headers: bearer(token), payload })
      return [answer.status, answer.body.code]
    }
    expect(await post("runner-secret", body)).toEqual([403, "forbidden"])
    expect(await post("boss-secret", body, "nobody")).toEqual([404, "session_not_found"])
    expect(await post("boss-secret", { ...body, tool: "mcp__*" })).toEqual([400, "invalid_argument"])
    expect(await post("boss-secret", { tool: "Bash", arguments: { command: "git*" } })).toEqual([
      400,
      "invalid_argument",
    ])
    expect(await post("boss-secret", { ...body, expires_in_seconds: 9e9 })).toEqual([400, "invalid_argument"])
    const url = `/v1/sessions/${id}/grants/grant_none`
    const missing = await ask({ method: "DELETE", url, headers: bearer("boss-secret") })
    expect([missing.status, missing.body.code]).toEqual([404, "grant_not_found"])
    expect((await ask({ method: "DELETE", url, headers: bearer("runner-secret") })).status).toBe(403)
  })
})
