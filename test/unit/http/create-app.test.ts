import { connect } from "node:net"
import { describe, expect, it } from "vitest"
import { httpFixture } from "./http-fixture.ts"

describe("a request", () => {
  const create = { method: "POST", url: "/v1/sessions" } as const

  it("must be JSON of at most 1 MiB", async () => {
    const { ask } = await httpFixture()
    const json = { "content-type": "application/json" }
    const codeOf = async (payload: string, headers: Record<string, string> = json) => {
      const { status, body } = await ask({ ...create, payload, headers })
      return [status, body.code]
    }
    expect(await codeOf(`{"title":"${"x".repeat(1_048_576)}"}`)).toEqual([413, "payload_too_large"])
    expect(await codeOf("{}", { "content-type": "text/plain" })).toEqual([415, "unsupported_media_type"])
    expect(await codeOf("a=1", { "content-type": "application/x-www-form-urlencoded" })).toEqual([
      415,
      "unsupported_media_type",
    ])
    expect(await codeOf("{")).toEqual([400, "invalid_json"])
    expect(await codeOf("")).toEqual([400, "invalid_argument"])
    expect(await codeOf("null")).toEqual([400, "invalid_argument"])
  })

  it("must not have a name by which it could change what every object inherits, and is told so", async () => {
    const { ask } = await httpFixture()
    const headers = { "content-type": "application/json" }
    const answerTo = async (payload: string) => (await ask({ ...create, payload, headers })).body
    for (const payload of ['{"__proto__":{"x":1}}', '{"metadata":{"constructor":{"prototype":{"x":1}}}}'])
      expect(await answerTo(payload)).toMatchObject({
        code: "invalid_json",
        error: expect.stringContaining('a field "__proto__"'),
      })
    expect(await answerTo('{"__proto__":{"x":1}')).toMatchObject({ error: "the body is not valid JSON" })
    const { id, ...answer } = await answerTo('{"metadata":{"constructor":1,"toString":2}}')
    expect(answer).toMatchObject({ status: "pending" })
    expect(id).toMatch(/^\w+$/)
    expect(({} as Record<string, unknown>)["x"]).toBeUndefined()
  })

  it("must not have more than 10,000 names, each of which would be checked while every other request waits", async () => {
    const { ask } = await httpFixture()
    const fields = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, ":"]))
    const answerTo = async (payload: object) => (await ask({ ...create, payload })).body
    for (const payload of [{ metadata: fields(70_000) }, { metadata: { deep: [fields(10_001)] } }])
      expect(await answerTo(payload)).toMatchObject({
        code: "invalid_json",
        error: "the body has more than 10000 names of fields; send less per request",
      })
    expect(await answerTo({ metadata: fields(9_000) })).toMatchObject({ code: "invalid_argument" })
    expect(await answerTo({ title: ":".repeat(100), metadata: fields(1_000) })).toMatchObject({ status: "pending" })
  })

  it("must not contain JSON nested 200,000 levels deep, on any route that takes JSON", async () => {
    const { ask } = await httpFixture()
    const nested = `${"[".repeat(200_000)}${"]".repeat(200_000)}`
    const session = "/v1/sessions/abc123"
    const urls = [
      "/v1/sessions",
      ...["messages", "tools/decisions", "cancel", "model", "fork"].map((route) => `${session}/${route}`),
      ...["/v1/approvals", "/v1/approvals/token", "/mcp"],
    ]
    for (const url of urls)
      for (const payload of [nested, `{"metadata":${nested}}`, `{"title":"a","metadata":{"b":${nested}}}`]) {
        const answer = await ask({ method: "POST", url, payload, headers: { "content-type": "application/json" } })
        expect([url, answer.status]).toEqual([url, expect.toSatisfy((status: number) => status >= 400 && status < 500)])
      }
  })

  it("must have a URL of bounded length", async () => {
    const { ask } = await httpFixture()
    expect((await ask({ url: `/v1/sessions?cursor=${"a".repeat(9_000)}` })).status).toBe(413)
    expect((await ask({ url: `/v1/sessions/${"a".repeat(3_000)}` })).status).toBe(400)
    expect((await ask({ url: "/v1/sessions/%zz" })).status).toBe(400)
    expect((await ask({ url: "/v1/sessions/%00" })).status).toBe(400)
  })

  it("is answered with its own id, the same in header and body, or with a new id if its own is invalid", async () => {
    const { ask } = await httpFixture()
    const own = await ask({ url: "/v1/sessions/x", headers: { "x-request-id": "trace-7" } })
    expect([own.headers["x-request-id"], own.body.request_id]).toEqual(["trace-7", "trace-7"])
    const bad = await ask({ url: "/nowhere", headers: { "x-request-id": "a b\tc" } })
    expect(bad.body).toEqual({
      error: expect.any(String),
      code: "route_not_found",
      request_id: bad.headers["x-request-id"],
    })
    expect(bad.body.request_id).toMatch(/^[0-9a-f-]{36}$/)
  })

  it("is not told what failed inside, which only the log contains", async () => {
    const { ask, store, logged } = await httpFixture()
    store.sessions.get = async () => {
      throw new TypeError("secret stack detail")
    }
    const broken = await ask({ url: "/v1/sessions/abc" })
    expect([broken.status, broken.body.code]).toEqual([500, "internal_error"])
    expect(broken.text).not.toContain("detail")
    expect(logged).toMatchObject([{ request_id: broken.body.request_id }])
  })

  it("is answered in the same form if it is not HTTP at all", async () => {
    const { server } = await httpFixture({ port: 0 })
    const { port } = new URL(await server.listen())
    const answer = await new Promise<string>((resolve) => {
      let text = ""
      const socket = connect(Number(port), "127.0.0.1", () =>
        socket.write(`GET / HTTP/1.1\r\nhost: localhost\r\nx: ${"y".repeat(20_000)}\r\n\r\n`),
      )
      socket.on("data", (chunk) => (text += String(chunk)))
      socket.on("close", () => resolve(text))
    })
    expect(answer).toMatch(/^HTTP\/1\.1 431 /)
    expect(answer).toContain('"code":"payload_too_large"')
  })
})
