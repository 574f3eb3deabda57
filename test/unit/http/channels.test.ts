import { Webhook } from "standardwebhooks"
import { describe, expect, it } from "vitest"
import { httpFixture, type HttpFixture } from "./http-fixture.ts"

const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
const env = { TEAM: secret }
const config = {
  channels: { team: { type: "webhook" as const, outboundUrl: "https://chat.example.test/out", secretEnv: "TEAM" } },
}

const signed = (text: string, change: Record<string, string> = {}) => {
  const now = new Date()
  return {
    "content-type": "application/json",
    "webhook-id": "m1",
    "webhook-timestamp": String(Math.floor(now.getTime() / 1_000)),
    "webhook-signature": new Webhook(secret).sign("m1", now, text),
    ...change,
  }
}

const post = (fixture: HttpFixture, body: unknown, headers?: Record<string, string>) => {
  const payload = typeof body === "string" ? body : JSON.stringify(body)
  return fixture.ask({ method: "POST", url: "/v1/channels/team", payload, headers: headers ?? signed(payload) })
}

describe("POST /v1/channels/{name}", () => {
  it("stops a server whose channel has no secret", async () => {
    await expect(httpFixture({ config })).rejects.toMatchObject({ code: "invalid_config" })
  })

  it("answers 404 for a channel that is not configured", async () => {
    const { ask } = await httpFixture({ config, env })
    expect((await ask({ method: "POST", url: "/v1/channels/other", payload: "{}" })).status).toBe(404)
  })

  it("rejects requests that the channel did not sign, or signed long ago", async () => {
    const fixture = await httpFixture({ config, env })
    const body = { thread_key: "t1", text: "hi", message_id: "m1" }
    expect((await post(fixture, body, { "content-type": "application/json" })).status).toBe(401)
    const text = JSON.stringify(body)
    const old = new Date(Date.now() - 3_600_000)
    const late = signed(text, {
      "webhook-timestamp": String(Math.floor(old.getTime() / 1_000)),
      "webhook-signature": new Webhook(secret).sign("m1", old, text),
    })
    expect((await post(fixture, text, late)).status).toBe(401)
    expect((await post(fixture, { ...body, text: "forged" }, signed(text))).status).toBe(401)
    expect((await fixture.client.list({})).items).toEqual([])
  })

  it.each([
    ["an unknown field", { thread_key: "t", text: "x", message_id: "m", more: 1 }],
    ["no text", { thread_key: "t", text: "", message_id: "m" }],
    ["a key with control characters", { thread_key: "t\n", text: "x", message_id: "m" }],
    ["a key that is not a text", { thread_key: "\ud800", text: "x", message_id: "m" }],
    ["something else", "[]"],
  ])("answers 400 for %s", async (_, body) => {
    const fixture = await httpFixture({ config, env })
    expect(await post(fixture, body)).toMatchObject({ status: 400, body: { code: "invalid_argument" } })
  })

  it("answers 400 for a body that is not JSON", async () => {
    const fixture = await httpFixture({ config, env })
    expect(await post(fixture, "{")).toMatchObject({ status: 400, body: { code: "invalid_json" } })
  })
})
