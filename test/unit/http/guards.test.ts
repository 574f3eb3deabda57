import { once } from "node:events"
import { createServer } from "node:http"
import { describe, expect, it, onTestFinished } from "vitest"
import { untilPasses } from "../../helpers/eventually.ts"
import type { HttpLimits } from "../../../http/http-options.ts"
import { fullAuthority } from "../../../domain/caller/authority.ts"
import { httpFixture } from "./http-fixture.ts"

const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
const tokens = [
  { name: "reader", tokenEnv: "READ_TOKEN", scopes: ["read" as const] },
  { name: "runner", tokenEnv: "RUN_TOKEN", scopes: ["run" as const] },
]
const env = { READ_TOKEN: "reader-secret", RUN_TOKEN: "runner-secret", ADJUTANT_API_TOKEN: "master-secret" }

describe("authentication", () => {
  it("lets everybody call on loopback if it requires no token at all", async () => {
    const { ask } = await httpFixture()
    expect((await ask({ url: "/v1/sessions" })).status).toBe(200)
  })

  it("says what a caller may do", async () => {
    const { ask } = await httpFixture({ config: { http: { tokens } }, env })
    const callerOf = async (token: string) => (await ask({ url: "/v1/caller", headers: bearer(token) })).body
    expect(await callerOf("reader-secret")).toEqual({ name: "reader", scopes: ["read"] })
    expect((await callerOf("master-secret")).scopes).toEqual(["read", "run", "approve", "admin"])
    expect(await callerOf("unknown")).toMatchObject({ code: "unauthorized" })
  })

  it("does not start a server beyond loopback without a token", async () => {
    await expect(httpFixture({ host: "0.0.0.0" })).rejects.toMatchObject({ code: "invalid_config" })
    await expect(httpFixture({ host: "192.0.2.7" })).rejects.toMatchObject({ code: "invalid_config" })
    await expect(httpFixture({ host: "::1" })).resolves.toBeDefined()
  })

  it("accepts a token with the route's scope", async () => {
    const { ask } = await httpFixture({ config: { http: { tokens } }, env })
    const statusOf = async (headers: Record<string, string>, method: "GET" | "POST" | "DELETE", url = "/v1/sessions") =>
      (await ask({ method, url, headers, ...(method === "POST" ? { payload: {} } : {}) })).status
    expect(await statusOf({}, "GET")).toBe(401)
    expect(await statusOf(bearer("wrong-secret"), "GET")).toBe(401)
    expect(await statusOf(bearer("reader-secret"), "GET")).toBe(200)
    expect(await statusOf(bearer("reader-secret"), "POST")).toBe(403)
    expect(await statusOf(bearer("runner-secret"), "POST")).toBe(201)
    expect(await statusOf(bearer("runner-secret"), "DELETE", "/v1/sessions/x")).toBe(403)
    expect(await statusOf(bearer("master-secret"), "DELETE", "/v1/sessions/x")).toBe(404)
    expect(await statusOf(bearer("reader-secret"), "GET", "/metrics")).toBe(200)
    expect(await statusOf({}, "GET", "/metrics")).toBe(401)
    expect(await statusOf({}, "GET", "/healthz")).toBe(200)
    expect(await statusOf({}, "GET", "/openapi.json")).toBe(200)
  })

  it("accepts every request without a token for which the process itself vouches, and no other", async () => {
    const { server, ask } = await httpFixture({ config: { http: { tokens } }, env })
    const actor = { by: "ada", via: "cli", kind: "person" as const, authority: fullAuthority }
    const socket = createServer((request, response) => server.answerLocally(request, response, { actor })).listen(
      0,
      "127.0.0.1",
    )
    onTestFinished(() => void socket.close())
    await once(socket, "listening")
    const address = socket.address()
    const port = typeof address === "object" ? address?.port : undefined
    const local = async (path: string, init: RequestInit = {}) =>
      (await fetch(`http://127.0.0.1:${port}${path}`, init)).status
    expect(await local("/v1/sessions")).toBe(200)
    expect(await local("/v1/sessions/x", { method: "DELETE" })).toBe(404)
    expect((await ask({ url: "/v1/sessions" })).status).toBe(401)
    expect(await local("/v1/sessions", { headers: { origin: "https://example.com" } })).toBe(403)
  })

  it("needs no token and no secret if it answers only what the process vouches for", async () => {
    const { ask } = await httpFixture({ config: { http: { tokens } }, env: {}, onlyLocally: true })
    expect((await ask({ url: "/v1/sessions" })).status).toBe(401)
  })

  it("requires the scope approve for running calls without approval", async () => {
    const { ask } = await httpFixture({ config: { http: { tokens } }, env })
    const created = await ask({ method: "POST", url: "/v1/sessions", headers: bearer("runner-secret"), payload: {} })
    const send = (token: string, auto_approve: unknown) =>
      ask({
        method: "POST",
        url: `/v1/sessions/${created.body.id}/messages`,
        headers: bearer(token),
        payload: { message: "x", auto_approve },
      })
    expect((await send("runner-secret", true)).status).toBe(403)
    expect((await send("runner-secret", ["Bash"])).status).toBe(403)
    expect((await send("runner-secret", false)).status).toBe(202)
  })

  it("requires the scope admin and a body for stopping everything", async () => {
    const { ask } = await httpFixture({ config: { http: { tokens } }, env })
    const stop = async (token: string, payload: object) => {
      const { status } = await ask({ method: "POST", url: "/v1/stop", headers: bearer(token), payload })
      return status
    }
    expect(await stop("runner-secret", { all: true })).toBe(403)
    expect(await stop("master-secret", {})).toBe(400)
    expect(await stop("master-secret", { all: true })).toBe(200)
  })

  it("does not start a server whose token or webhook secret is not set", async () => {
    await expect(httpFixture({ config: { http: { tokens } }, env: {} })).rejects.toThrow("READ_TOKEN")
    const inbound = { gh: { type: "github" as const, secretEnv: "GH_SECRET" } }
    await expect(httpFixture({ config: { inbound } })).rejects.toThrow("GH_SECRET")
  })

  it("limits attempts with wrong tokens", async () => {
    const { ask } = await httpFixture({ env, limits: { refusalsPerMinute: 3 }, now: () => 60_000 })
    const statuses: number[] = []
    for (let tries = 0; tries < 5; tries += 1)
      statuses.push((await ask({ url: "/v1/sessions", headers: bearer(`guess-${tries}`) })).status)
    expect(statuses).toEqual([401, 401, 401, 429, 429])
    expect((await ask({ url: "/v1/sessions", headers: bearer("master-secret") })).status).toBe(200)
  })

  it("limits the rate of requests, and says how long to wait", async () => {
    const { ask } = await httpFixture({ limits: { requestsPerMinute: 2 }, now: () => 90_000 })
    await ask({ url: "/healthz" })
    await ask({ url: "/healthz" })
    const third = await ask({ url: "/healthz" })
    expect([third.status, third.body.code, third.headers["retry-after"]]).toEqual([429, "rate_limited", "30"])
  })

  it("counts requests without a token apart: they use up the share of nobody who has one", async () => {
    const limits = { requestsPerMinute: 2, refusalsPerMinute: 2 }
    const { ask } = await httpFixture({ limits, now: () => 90_000, localToken: async () => "local-secret" })
    const statusOf = async (url: string, headers: Record<string, string> = {}) => (await ask({ url, headers })).status
    const statuses = async (url: string, headers: Record<string, string> = {}) => [
      await statusOf(url, headers),
      await statusOf(url, headers),
      await statusOf(url, headers),
    ]
    const page = { "sec-fetch-site": "cross-site" }
    expect(await statuses("/healthz", page)).toEqual([200, 200, 429])
    expect(await statuses("/v1/sessions")).toEqual([401, 401, 429])
    expect(await statuses("/v1/approvals/unknown", page)).toEqual([404, 404, 429])
    // Neither the person at this machine, nor a link, nor a program that asks for the health of the server is locked out.
    expect(await statusOf("/v1/approvals/another", page)).toBe(404)
    expect(await statuses("/healthz")).toEqual([200, 200, 429])
    expect(await statuses("/v1/sessions", bearer("local-secret"))).toEqual([200, 200, 429])
  })

  it("counts requests to a hook apart, those with a wrong signature too", async () => {
    const limits = { requestsPerMinute: 2, refusalsPerMinute: 2 }
    const inbound = {
      a: { type: "standard" as const, secretEnv: "HOOK" },
      b: { type: "standard" as const, secretEnv: "HOOK" },
    }
    const { ask } = await httpFixture({
      config: { inbound },
      env: { ...env, HOOK: "a secret of a hook" },
      limits,
      now: () => 90_000,
    })
    const send = async (url: string) => (await ask({ method: "POST", url, payload: "{}" })).status
    expect([await send("/v1/hooks/a"), await send("/v1/hooks/a"), await send("/v1/hooks/a")]).toEqual([401, 401, 429])
    expect((await ask({ url: "/v1/sessions", headers: bearer("master-secret") })).status).toBe(200)
    expect((await ask({ url: "/healthz" })).status).toBe(200)
  })
})

describe("open waits", () => {
  it("are limited for each caller, over MCP as over the other routes", async () => {
    let answer = (): void => undefined
    const answered = new Promise<void>((resolve) => (answer = resolve))
    const serve = async () => {
      await answered
      return new Response("{}", { headers: { "content-type": "application/json" } })
    }
    const { ask } = await httpFixture({
      ...{ config: { http: { tokens } }, env, mcp: { serve }, limits: { streamsPerCaller: 2 } },
    })
    const call = (token: string) =>
      ask({ method: "POST", url: "/mcp", headers: bearer(token), payload: { jsonrpc: "2.0", id: 1, method: "ping" } })
    const open = [call("reader-secret"), call("reader-secret")]
    await untilPasses(async () => {
      const refused = await call("reader-secret")
      expect([refused.status, refused.body.code]).toEqual([429, "rate_limited"])
    })
    const outcome = await ask({ url: "/v1/sessions/x/outcome?wait_seconds=1", headers: bearer("reader-secret") })
    expect(outcome.body.code).toBe("rate_limited")
    open.push(call("master-secret"))
    answer()
    expect((await Promise.all(open)).map(({ status }) => status)).toEqual([200, 200, 200])
    await untilPasses(async () => expect((await call("reader-secret")).status).toBe(200))
  })
})

describe("a batch over MCP", () => {
  const serve = async () => new Response("[]", { headers: { "content-type": "application/json" } })
  const ping = { jsonrpc: "2.0", id: 1, method: "ping" }
  const statusesOf = async (limits: Partial<HttpLimits>, sizes: readonly number[]) => {
    const { ask } = await httpFixture({ mcp: { serve }, limits, now: () => 90_000 })
    const statuses: number[] = []
    for (const size of sizes)
      statuses.push(
        (await ask({ method: "POST", url: "/mcp", payload: Array.from({ length: size }, () => ping) })).status,
      )
    return statuses
  }

  it("counts as one wait for each of its messages", async () => {
    expect(await statusesOf({ streamsPerCaller: 3 }, [3, 4])).toEqual([200, 429])
    expect(await statusesOf({ streams: 3 }, [3, 4])).toEqual([200, 429])
  })

  it("counts as one request for each of its messages", async () => {
    expect(await statusesOf({ requestsPerMinute: 5 }, [3, 2, 1])).toEqual([200, 200, 429])
    expect(await statusesOf({ requestsPerMinute: 5 }, [3, 3])).toEqual([200, 429])
  })
})

describe("the origin of a request", () => {
  it("must name a host of this server, so that no page can rebind its name to it", async () => {
    const config = { http: { allowedHosts: ["adjutant.internal"], publicUrl: "https://agents.example.org/x" } }
    const { ask } = await httpFixture({ config })
    const statusFor = async (host: string) => (await ask({ url: "/v1/sessions", headers: { host } })).status
    for (const host of [
      "localhost",
      "127.0.0.1:7420",
      "[::1]:80",
      "adjutant.internal:1",
      "agents.example.org",
      "LOCALHOST",
    ])
      expect([host, await statusFor(host)]).toEqual([host, 200])
    for (const host of [
      "evil.example",
      "localhost.evil.example",
      "10.0.0.1",
      "127.0.0.1.nip.io",
      "a@localhost",
      "localhost/x",
      "x y",
    ])
      expect([host, await statusFor(host)]).toEqual([host, 403])
  })

  it("must be one of the server's own pages if a browser sends it", async () => {
    const { ask } = await httpFixture()
    const statusFor = async (headers: Record<string, string>, method: "GET" | "POST" = "POST") =>
      (
        await ask({
          method,
          url: "/v1/sessions",
          headers: { host: "localhost:80", ...headers },
          ...(method === "POST" ? { payload: {} } : {}),
        })
      ).status
    expect(await statusFor({ origin: "http://localhost:80" })).toBe(403)
    expect(await statusFor({ origin: "http://localhost" })).toBe(403)
    expect(await statusFor({ host: "localhost:7420", origin: "http://localhost:7420" })).toBe(201)
    expect(await statusFor({ origin: "https://evil.example" })).toBe(403)
    expect(await statusFor({ origin: "null" })).toBe(403)
    expect(await statusFor({ origin: "https://evil.example" }, "GET")).toBe(403)
    expect(await statusFor({ "sec-fetch-site": "cross-site" })).toBe(403)
    expect(await statusFor({ "sec-fetch-site": "cross-site" }, "GET")).toBe(200)
  })
})

describe("a port that cannot be opened", () => {
  it("is a clear error", async () => {
    const first = await httpFixture({ port: 0 })
    const port = Number(new URL(await first.server.listen()).port)
    const second = await httpFixture({ port })
    await expect(second.server.listen()).rejects.toMatchObject({ code: "port_in_use" })
  })
})
