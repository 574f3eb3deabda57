import { describe, expect, it, onTestFinished } from "vitest"
import { configSchema } from "../../../contracts/config/config.ts"
import { builtInCallers } from "../../../domain/caller/caller-id.ts"
import { httpFixture } from "../../unit/http/http-fixture.ts"

// A configured token could have the name of a built-in caller and shared its sessions; one token could open every
// stream of the server; the page of an approval link told its address to the pages of its origin; and a link
// decided for everybody who had read it.

const tokens = [
  { name: "ana", tokenEnv: "ANA", scopes: ["approve" as const] },
  { name: "bob", tokenEnv: "BOB", scopes: ["approve" as const] },
  { name: "ci", tokenEnv: "CI", scopes: ["read" as const, "run" as const] },
]
const env = { ANA: "ana-secret", BOB: "bob-secret", CI: "ci-secret-1" }
const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

describe("a configured token", () => {
  it.each([...Object.values(builtInCallers), "LOCAL", "Api-Token"])("cannot have the name %s", (name) => {
    const parsed = configSchema.safeParse({ http: { tokens: [{ name, tokenEnv: "T", scopes: ["run"] }] } })
    expect(parsed.error?.issues.map(({ message }) => message)).toEqual([expect.stringContaining("built-in callers")])
  })
})

const withLink = async (linksNeedToken: boolean, to?: string) => {
  const fixture = await httpFixture({ config: { http: { tokens, linksNeedToken } }, env })
  const id = await fixture.started()
  const { checkpointId } = await fixture.pause(id)
  const made = await fixture.ask({
    ...{ method: "POST", url: "/v1/approval-links", headers: bearer(env.ANA) },
    payload: { checkpoint_id: checkpointId, ...(to === undefined ? {} : { to }) },
  })
  const { pathname } = new URL(made.body.url)
  const decide = (payload: object, headers: Record<string, string> = {}) =>
    fixture.ask({ method: "POST", url: pathname, payload: { action: "accept", ...payload }, headers })
  return { ...fixture, id, path: pathname, decide }
}

describe("the page of an approval link", () => {
  it("sends its address to no other page, and accepts the form of a browser that then sends no origin", async () => {
    const { ask, path, decide, temporal, id } = await withLink(false)
    const page = await ask({ url: path, headers: { accept: "text/html" } })
    expect(page.headers["referrer-policy"]).toBe("no-referrer")
    expect((await decide({}, { origin: "https://evil.example" })).status).toBe(403)
    expect(temporal.execution(id).updates).toEqual([])
    expect((await decide({}, { origin: "null" })).status).toBe(200)
    const other = await ask({ method: "POST", url: "/v1/sessions", payload: {}, headers: { origin: "null" } })
    expect(other.status).toBe(403)
  })
})

describe("an approval link that needs a token", () => {
  it("decides only with the token of an approver, in that name", async () => {
    const { ask, path, decide, temporal, id, store } = await withLink(true)
    expect((await ask({ url: path, headers: { accept: "text/html" } })).text).toContain('type="password"')
    expect((await decide({})).body).toMatchObject({ code: "unauthorized" })
    expect((await decide({ token: "wrong-secret" })).body).toMatchObject({ code: "unauthorized" })
    expect((await decide({ token: env.CI })).body).toMatchObject({ code: "forbidden" })
    expect(temporal.execution(id).updates).toEqual([])
    expect((await decide({ token: env.BOB })).status).toBe(200)
    expect((await store.audit.list({ sessionId: id }))[0]).toMatchObject({ by: "bob", via: "link" })
  })

  it("is only for the holder of the token to whose name it was issued", async () => {
    const { decide, temporal, id } = await withLink(true, "ana")
    expect((await decide({}, bearer(env.BOB))).body).toMatchObject({ code: "forbidden" })
    expect(temporal.execution(id).updates).toEqual([])
    expect((await decide({}, bearer(env.ANA))).status).toBe(200)
  })
})

describe("event streams", () => {
  it("are limited for each token: one that opens too many leaves those of others", async () => {
    const fixture = await httpFixture({
      config: { http: { tokens: [...tokens, { name: "eve", tokenEnv: "EVE", scopes: ["read"] }] } },
      env: { ...env, EVE: "eve-secret" },
      limits: { streamsPerCaller: 2 },
      port: 0,
    })
    const id = await fixture.started()
    const address = await fixture.server.listen()
    const open = async (token: string) => {
      const stop = new AbortController()
      onTestFinished(() => stop.abort())
      const response = await fetch(`${address}/v1/sessions/${id}/events`, {
        headers: bearer(token),
        signal: stop.signal,
      })
      return { status: response.status, stop }
    }
    const [first] = [await open("eve-secret"), await open("eve-secret")]
    expect((await open("eve-secret")).status).toBe(429)
    expect((await open(env.CI)).status).toBe(200)
    first.stop.abort()
    await expect.poll(async () => (await open("eve-secret")).status).toBe(200)
  })
})
