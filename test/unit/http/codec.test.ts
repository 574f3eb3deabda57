import { randomBytes } from "node:crypto"
import { expect, it } from "vitest"
import { httpFixture } from "./http-fixture.ts"

const key = randomBytes(32).toString("base64")
const token = "token-of-the-codec-endpoint"
const origin = "https://temporal.example.com"
const fixture = () =>
  httpFixture({
    config: { encryption: { keyId: "k1", keyEnv: "KEY", codecTokenEnv: "CODEC", uiOrigins: [`${origin}/`] } },
    env: { KEY: key, CODEC: token },
  })
const payloads = [{ metadata: { encoding: "anNvbi9wbGFpbg==" }, data: Buffer.from('"secret"').toString("base64") }]

it("the codec endpoint encrypts and decrypts for the holder of its token, from the pages of the Temporal UI", async () => {
  const { ask } = await fixture()
  const headers = { authorization: `Bearer ${token}`, origin }
  const encoded = await ask({ method: "POST", url: "/codec/encode", payload: { payloads }, headers })
  expect(encoded.status).toBe(200)
  expect(JSON.stringify(encoded.body)).not.toContain(payloads[0]?.data)
  const decoded = await ask({
    method: "POST",
    url: `/codec/${token}/decode`,
    payload: encoded.body,
    headers: { origin },
  })
  expect(decoded.body).toEqual({ payloads })
  const preflight = await ask({ method: "OPTIONS", url: "/codec/decode", headers: { origin } })
  expect(preflight.status).toBe(204)
})

it("the codec endpoint answers the present token only", async () => {
  const env: Record<string, string> = { KEY: key, CODEC: token }
  const encryption = { keyId: "k1", keyEnv: "KEY", codecTokenEnv: "CODEC" }
  const { ask } = await httpFixture({ config: { encryption }, env })
  const encode = async (given: string) =>
    (await ask({ method: "POST", url: `/codec/${given}/encode`, payload: { payloads } })).status
  expect(await encode(token)).toBe(200)
  env["CODEC"] = "another-token-of-the-endpoint"
  expect(await encode(token)).toBe(401)
  expect(await encode("another-token-of-the-endpoint")).toBe(200)
})

it("the codec endpoint answers no other token, no other site, and not at all without a token of its own", async () => {
  const { ask } = await fixture()
  const decode = (headers: Readonly<Record<string, string>>, url = "/codec/decode") =>
    ask({ method: "POST", url, payload: { payloads }, headers })
  expect((await decode({})).status).toBe(401)
  expect((await decode({ authorization: "Bearer wrong" })).status).toBe(401)
  expect((await decode({ authorization: `Bearer ${token}`, origin: "https://other.example.com" })).status).toBe(403)
  const without = await httpFixture()
  const answer = await without.ask({ method: "POST", url: "/codec/decode", payload: { payloads } })
  expect(answer.status).toBe(404)
})
