import { describe, expect, it } from "vitest"
import { httpFixture } from "./http-fixture.ts"

const token = "the-token-of-the-data-directory"
const localToken = async () => token
const bearer = { authorization: `Bearer ${token}` }
const host = "127.0.0.1:7420"

const codeOf = (link: string | undefined): string =>
  /^http:\/\/127\.0\.0\.1:7420\/#code=([\w-]{43})$/.exec(link ?? "")?.[1] ?? ""

describe("a server with the token of its data directory", () => {
  it("refuses every route without it, but the page, its files, the health checks and the document", async () => {
    const { ask } = await httpFixture({ localToken })
    const statusOf = async (url: string, headers = {}) => (await ask({ url, headers })).status
    for (const url of ["/v1/sessions", "/v1/approvals", "/metrics", "/v1/sessions/x/events"])
      expect([url, await statusOf(url)]).toEqual([url, 401])
    for (const url of ["/healthz", "/openapi.json"]) expect([url, await statusOf(url)]).toEqual([url, 200])
    expect(await statusOf("/v1/sessions", { authorization: "Bearer another-token" })).toBe(401)
    for (const url of ["/v1/sessions", "/v1/approvals", "/metrics"])
      expect([url, await statusOf(url, bearer)]).toEqual([url, 200])
    const created = await ask({ method: "POST", url: "/v1/sessions", headers: bearer, payload: {} })
    expect(created.status).toBe(201)
    expect((await ask({ method: "DELETE", url: `/v1/sessions/${created.body.id}`, headers: bearer })).status).toBe(204)
    expect((await ask({ url: "/openapi.json" })).body.security).toEqual([{ token: [] }])
  })

  it("does not use the token of the data directory beyond loopback, or if one is configured", async () => {
    await expect(httpFixture({ localToken, host: "0.0.0.0" })).rejects.toMatchObject({ code: "invalid_config" })
    const { ask, server } = await httpFixture({ localToken, env: { ADJUTANT_API_TOKEN: "configured-token" } })
    expect((await ask({ url: "/v1/sessions", headers: bearer })).status).toBe(401)
    expect(server.pageLink()).toBeUndefined()
    expect((await ask({ method: "POST", url: "/page-token", payload: { code: "x" } })).status).toBe(404)
  })

  it("exchanges the code of a link, once, for a token that ends with the server", async () => {
    const { ask, server } = await httpFixture({ localToken })
    const code = codeOf(server.pageLink())
    const exchange = (payload: object) => ask({ method: "POST", url: "/page-token", headers: { host }, payload })
    expect((await exchange({ code: `${code}x` })).status).toBe(401)
    const answer = await exchange({ code })
    expect([answer.status, answer.headers["cache-control"]]).toEqual([200, "no-store"])
    const { token: pageToken } = answer.body
    expect(pageToken).toMatch(/^[\w-]{43}$/)
    expect(pageToken).not.toBe(token)
    const asPage = { authorization: `Bearer ${pageToken}` }
    expect((await ask({ url: "/v1/sessions", headers: asPage })).status).toBe(200)
    const other = await httpFixture({ localToken })
    expect((await other.ask({ url: "/v1/sessions", headers: asPage })).status).toBe(401)
    const again = await exchange({ code })
    expect([again.status, again.text.includes(token), again.text.includes(pageToken)]).toEqual([401, false, false])
    expect((await exchange({ code: codeOf(server.pageLink()), more: 1 })).status).toBe(400)
  })

  it("accepts a code for 15 minutes", async () => {
    let nowMs = 1_000
    const { ask, server } = await httpFixture({ localToken, now: () => nowMs })
    const [first, second] = [codeOf(server.pageLink()), codeOf(server.pageLink())]
    const exchange = async (code: string) =>
      (await ask({ method: "POST", url: "/page-token", payload: { code } })).status
    nowMs += 15 * 60_000 - 1
    expect(await exchange(first)).toBe(200)
    nowMs += 1
    expect(await exchange(second)).toBe(401)
  })

  it("gives it to no page of another origin, and not to one that guesses", async () => {
    const { ask, server } = await httpFixture({ localToken, limits: { refusalsPerMinute: 3 }, now: () => 60_000 })
    const code = codeOf(server.pageLink())
    const exchange = async (headers: Readonly<Record<string, string>>, payload: object = { code }) =>
      (await ask({ method: "POST", url: "/page-token", headers: { host, ...headers }, payload })).status
    expect(await exchange({ origin: "https://evil.example" })).toBe(403)
    expect(await exchange({ origin: "null" })).toBe(403)
    expect(await exchange({ origin: "http://127.0.0.1:1" })).toBe(403)
    expect(await exchange({ "sec-fetch-site": "same-site" })).toBe(403)
    expect(await exchange({ host: "evil.example", origin: "http://evil.example" })).toBe(403)
    const form = { "content-type": "application/x-www-form-urlencoded" }
    const sent = await ask({ method: "POST", url: "/page-token", headers: { host, ...form }, payload: `code=${code}` })
    expect(sent.status).toBe(415)
    expect((await ask({ url: `/page-token?code=${code}`, headers: { host } })).status).toBe(404)
    const guesses: number[] = []
    for (let guess = 0; guess < 5; guess += 1) guesses.push(await exchange({}, { code: `guess-${guess}` }))
    expect(guesses).toEqual([401, 401, 401, 429, 429])
    expect(await exchange({ origin: `http://${host}` })).toBe(200)
  })

  it("keeps it out of the OpenAPI document and out of stored answers", async () => {
    const { ask, server, store } = await httpFixture({ localToken })
    expect(JSON.stringify((await ask({ url: "/openapi.json" })).body)).not.toContain("page-token")
    const headers = { ...bearer, "idempotency-key": "one" }
    const exchange = () =>
      ask({ method: "POST", url: "/page-token", headers, payload: { code: codeOf(server.pageLink()) } })
    expect((await exchange()).status).toBe(200)
    const claim = { scope: "http local", key: "one", fingerprint: "any", keepMs: 1_000, leaseMs: 1_000 }
    expect((await store.idempotencyKeys.begin(claim)).kind).toBe("begun")
  })
})
