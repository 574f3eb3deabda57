import { connect } from "node:net"
import { onTestFinished, describe, expect, it } from "vitest"
import { eventually } from "../../helpers/eventually.ts"
import { type HttpFixture, httpFixture, type HttpFixtureOptions } from "./http-fixture.ts"
import { readStream } from "./read-stream.ts"

const listening = async (options: HttpFixtureOptions = {}) => {
  const fixture = await httpFixture({ port: 0, ...options })
  const address = await fixture.server.listen()
  const id = await fixture.started()
  const read = async (query = "", headers: Record<string, string> = {}) => {
    const reader = await readStream(`${address}/v1/sessions/${id}/events${query}`, headers)
    onTestFinished(() => reader.close())
    return reader
  }
  return { ...fixture, address, id, read }
}

const append = ({ store }: Pick<HttpFixture, "store">, id: string, ...texts: string[]) =>
  store.events.append(
    id,
    texts.map((text) => ({ type: "text-delta", runId: "run_1", data: { seq: 1, attempt: 1, text } })),
  )

const streamsOpen = async ({ ask }: Pick<HttpFixture, "ask">): Promise<number> => {
  const { text } = await ask({ url: "/metrics" })
  return Number(/^adjutant_http_event_streams (\d+)$/m.exec(text)?.[1])
}

describe("a session's event stream", () => {
  it("replays from the beginning and continues with new events", async () => {
    const fixture = await listening()
    await append(fixture, fixture.id, "one", "two")
    const reader = await fixture.read()
    expect(reader.response.headers["content-type"]).toContain("text/event-stream")
    await reader.first(2)
    await append(fixture, fixture.id, "three")
    const frames = await reader.first(3)
    expect(frames.map(({ id, event }) => [id, event])).toEqual([
      ["1", "text-delta"],
      ["2", "text-delta"],
      ["3", "text-delta"],
    ])
    expect(frames[2]?.data).toMatchObject({
      type: "text-delta",
      session_id: fixture.id,
      run_id: "run_1",
      at: expect.stringMatching(/^\d{4}-/),
      text: "three",
    })
  })

  it("shows no secret of the configuration", async () => {
    const fixture = await listening({ env: { ANTHROPIC_API_KEY: "hunter2-of-the-provider" } })
    await append(fixture, fixture.id, "the key is hunter2-of-the-provider.")
    const frames = await (await fixture.read()).first(1)
    expect(frames[0]?.data).toMatchObject({ text: "the key is [redacted]." })
  })

  it("continues after Last-Event-ID, which takes precedence over the query", async () => {
    const fixture = await listening()
    await append(fixture, fixture.id, "one", "two", "three")
    expect((await (await fixture.read("?after=1")).first(1))[0]?.id).toBe("2")
    expect((await (await fixture.read("?after=0", { "last-event-id": "2" })).first(1))[0]?.id).toBe("3")
  })

  it("starts at the end if only new events are requested", async () => {
    const fixture = await listening()
    await append(fixture, fixture.id, "old")
    const reader = await fixture.read("?live=true")
    await eventually(async () => (await streamsOpen(fixture)) === 1)
    await append(fixture, fixture.id, "new")
    expect((await reader.first(1))[0]?.data).toMatchObject({ text: "new" })
  })

  it("reports that a cursor is gone, and then sends everything", async () => {
    const fixture = await listening({ now: () => 0 })
    await append(fixture, fixture.id, "one")
    const reader = await fixture.read("", { "last-event-id": "99" })
    const [gap, event] = await reader.first(2)
    expect(gap).toMatchObject({ event: "gap-detected" })
    expect(gap?.data).toEqual({
      ...{
        type: "gap-detected",
        session_id: fixture.id,
        run_id: (await fixture.client.info(fixture.id)).run_id,
        at: "1970-01-01T00:00:00.000Z",
      },
      ...{ after: 99, first_id: 1, last_id: 1 },
    })
    expect(gap?.id).toBeUndefined()
    expect(event?.id).toBe("1")
  })

  it("rejects an invalid cursor", async () => {
    const { ask, id } = await httpFixture().then(async (fixture) => ({ ...fixture, id: await fixture.started() }))
    for (const cursor of ["x", "-1", "1.5", "9".repeat(40), " "])
      expect([
        cursor,
        (await ask({ url: `/v1/sessions/${id}/events?after=${encodeURIComponent(cursor)}` })).status,
      ]).toEqual([cursor, 400])
    expect((await ask({ url: `/v1/sessions/${id}/events`, headers: { "last-event-id": "abc" } })).status).toBe(400)
  })

  it("sends heartbeats while nothing happens", async () => {
    const fixture = await listening({ limits: { heartbeatMs: 5 } })
    expect((await (await fixture.read()).first(2)).map(({ comment }) => comment)).toEqual(["heartbeat", "heartbeat"])
  })

  it("serves 100 readers alike, one of which disconnects", async () => {
    const fixture = await listening()
    const readers = await Promise.all(Array.from({ length: 100 }, () => fixture.read()))
    await append(fixture, fixture.id, "one")
    await Promise.all(readers.map((reader) => reader.first(1)))
    readers[0]?.close()
    await eventually(async () => (await streamsOpen(fixture)) === 99)
    await append(fixture, fixture.id, "two", "three")
    for (const reader of readers.slice(1))
      expect((await reader.first(3)).map(({ data }) => data?.["text"])).toEqual(["one", "two", "three"])
  })

  it("buffers nothing for a reader that stalls, disturbs no other reader, and closes the connection in the end", async () => {
    const fixture = await listening({ limits: { stalledReaderMs: 300 } })
    const stalled = connect(Number(new URL(fixture.address).port), "127.0.0.1", () =>
      stalled.write(`GET /v1/sessions/${fixture.id}/events HTTP/1.1\r\nhost: localhost\r\n\r\n`),
    )
    onTestFinished(() => void stalled.destroy())
    stalled.on("error", () => undefined)
    stalled.pause()
    const reader = await fixture.read()
    const long = "x".repeat(100_000)
    for (let round = 0; round < 30; round += 1) await append(fixture, fixture.id, long, long, long, long)
    expect(await reader.first(120)).toHaveLength(120)
    await eventually(async () => (await streamsOpen(fixture)) === 1)
  })

  it("ends when the server closes", async () => {
    const fixture = await listening()
    const reader = await fixture.read()
    await eventually(async () => (await streamsOpen(fixture)) === 1)
    await fixture.server.close()
    await reader.ended
  })

  it("ends once its token has another value, and not before", async () => {
    const env: Record<string, string> = { CI: "first-secret", OPS: "other-secret" }
    const tokens = ["ci", "ops"].map((name) => ({ name, tokenEnv: name.toUpperCase(), scopes: ["read" as const] }))
    const fixture = await listening({ config: { http: { tokens } }, env, limits: { heartbeatMs: 5 } })
    const [changed, kept] = await Promise.all(
      Object.values(env).map((token) => fixture.read("", { authorization: `Bearer ${token}` })),
    )
    await changed?.first(2)
    env["CI"] = "second-secret"
    await changed?.ended
    const seen = kept?.frames.length ?? 0
    await eventually(() => (kept?.frames.length ?? 0) > seen)
  })

  it("is rejected above the limit of streams", async () => {
    const fixture = await listening({ limits: { streams: 1 } })
    await fixture.read()
    await eventually(async () => (await streamsOpen(fixture)) === 1)
    expect((await fixture.ask({ url: `/v1/sessions/${fixture.id}/events` })).status).toBe(429)
  })

  it("is limited for each token: one that opens too many leaves those of others", async () => {
    const tokens = ["eve", "ci"].map((name) => ({ name, tokenEnv: name.toUpperCase(), scopes: ["read" as const] }))
    const fixture = await listening({
      config: { http: { tokens } },
      env: { EVE: "eve-secret", CI: "ci-secret-1" },
      limits: { streamsPerCaller: 2 },
    })
    const open = async (token: string) => {
      const stop = new AbortController()
      onTestFinished(() => stop.abort())
      const { status } = await fetch(`${fixture.address}/v1/sessions/${fixture.id}/events`, {
        headers: { authorization: `Bearer ${token}` },
        signal: stop.signal,
      })
      return { status, stop }
    }
    const [first] = [await open("eve-secret"), await open("eve-secret")]
    expect((await open("eve-secret")).status).toBe(429)
    expect((await open("ci-secret-1")).status).toBe(200)
    first.stop.abort()
    await expect.poll(async () => (await open("eve-secret")).status).toBe(200)
  })
})

describe("a closing server", () => {
  it("answers every request that it accepted", async () => {
    const { server, store, started } = await httpFixture({ port: 0 })
    const address = await server.listen()
    const id = await started()
    const { promise: gate, resolve: open } = Promise.withResolvers<void>()
    let arrived = 0
    const { get } = store.sessions
    store.sessions.get = async (sessionId) => {
      arrived += 1
      await gate
      return get(sessionId)
    }
    const answers = Array.from({ length: 10 }, () => fetch(`${address}/v1/sessions/${id}`))
    await eventually(() => arrived >= 10)
    const closed = server.close()
    open()
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 200))
    await closed
    await expect(fetch(`${address}/healthz`)).rejects.toThrow()
  })
})

describe("the event stream of the store", () => {
  it("sends the events of all sessions, and continues after a cursor without a gap", async () => {
    const fixture = await listening()
    const other = await fixture.started()
    const url = `${fixture.address}/v1/events`
    const reader = await readStream(url)
    onTestFinished(() => reader.close())
    const [start] = await reader.first(1)
    expect(start).toMatchObject({ id: expect.stringMatching(/^\d+$/), comment: "cursor" })
    await append(fixture, fixture.id, "one")
    await append(fixture, other, "two")
    await eventually(() => reader.frames.filter(({ event }) => event === "text-delta").length === 2)
    const shown = reader.frames.flatMap(({ data }) => (data === undefined ? [] : [[data["session_id"], data["text"]]]))
    expect(shown).toEqual([
      [fixture.id, "one"],
      [other, "two"],
    ])
    const cursor = reader.frames.findLast(({ id }) => id !== undefined)?.id ?? ""
    reader.close()
    await append(fixture, other, "three")
    const again = await readStream(url, { "last-event-id": cursor })
    onTestFinished(() => again.close())
    await eventually(() => again.frames.some(({ data }) => data?.["text"] === "three"))
  })

  it("reports a cursor of another store, and needs the scope to read", async () => {
    const fixture = await listening({
      config: { http: { tokens: [{ name: "r", tokenEnv: "R", scopes: ["read"] }] } },
      env: { R: "t".repeat(32) },
    })
    const url = `${fixture.address}/v1/events`
    expect((await fetch(url)).status).toBe(401)
    const reader = await readStream(`${url}?after=999999999999`, { authorization: `Bearer ${"t".repeat(32)}` })
    onTestFinished(() => reader.close())
    const [gap] = await reader.first(1)
    expect(gap).toMatchObject({
      event: "gap-detected",
      data: { session_id: null, run_id: null, after: 999_999_999_999 },
    })
    expect(gap?.data?.["at"]).toMatch(/^\d{4}-/)
    const refused = await fixture.ask({
      url: "/v1/events?after=x",
      headers: { authorization: `Bearer ${"t".repeat(32)}` },
    })
    expect(refused.status).toBe(400)
  })
})
