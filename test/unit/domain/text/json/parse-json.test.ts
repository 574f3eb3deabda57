import { createHmac } from "node:crypto"
import { describe, expect, it } from "vitest"
import { isNestedTooDeep, nestsTooDeep, parseJson } from "../../../../../domain/text/json/parse-json.ts"
import { parseToolArguments } from "../../../../../models/answer/parse-tool-arguments.ts"
import { github, standard, webhookConfig, webhookEnv } from "../../../../helpers/http/signed-webhooks.ts"
import { httpFixture } from "../../../http/http-fixture.ts"

// JSON that nests 200,000 levels deep was parsed and then read recursively: the server answered 500, and a model
// could fail its own activity again and again.

const depth = 200_000
const nested = `${"[".repeat(depth)}${"]".repeat(depth)}`
const nestedObjects = `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`

describe("JSON nested 200,000 levels deep", () => {
  it("is refused by every route that takes JSON", async () => {
    const { ask } = await httpFixture()
    const id = "abc123"
    const urls = [
      "/v1/sessions",
      `/v1/sessions/${id}/messages`,
      `/v1/sessions/${id}/tools/decisions`,
      `/v1/sessions/${id}/cancel`,
      `/v1/sessions/${id}/model`,
      `/v1/sessions/${id}/fork`,
      "/v1/approvals",
      "/v1/approvals/token",
      "/mcp",
    ]
    for (const url of urls)
      for (const payload of [nested, `{"metadata":${nested}}`, `{"title":"a","metadata":{"b":${nested}}}`]) {
        const answer = await ask({ method: "POST", url, payload, headers: { "content-type": "application/json" } })
        expect([url, answer.status]).toEqual([url, expect.toSatisfy((status: number) => status >= 400 && status < 500)])
      }
  })

  it("is refused by every inbound webhook", async () => {
    const { ask } = await httpFixture({ config: webhookConfig, env: webhookEnv })
    const form = new URLSearchParams({ payload: nested.slice(depth - 10_000, depth + 10_000) }).toString()
    const timestamp = String(Math.floor(Date.now() / 1_000))
    const signature = createHmac("sha256", webhookEnv.SL).update(`v0:${timestamp}:${form}`).digest("hex")
    const requests = [
      ["gh", nested, github(nested)],
      ["ci", nested, standard(nested)],
      ["chat", form, { "x-slack-request-timestamp": timestamp, "x-slack-signature": `v0=${signature}` }],
    ] as const
    for (const [name, payload, headers] of requests) {
      const { status, body } = await ask({ method: "POST", url: `/v1/hooks/${name}`, payload, headers })
      expect([name, status, body.code]).toEqual([name, 400, "invalid_json"])
    }
  })

  it("counts as arguments that are not valid if a model writes it", () => {
    expect(parseToolArguments(nestedObjects, true)).toEqual({ arguments: null, raw_arguments: nestedObjects })
  })

  it("is recognised in texts and in values, and other JSON is not", () => {
    expect(nestsTooDeep(nested)).toBe(true)
    expect(isNestedTooDeep(JSON.parse(nested))).toBe(true)
    const flat = JSON.stringify({ text: `${"[{".repeat(500)}\\"`, list: Array.from({ length: 1_000 }, () => [{}]) })
    expect(parseJson(flat)).toEqual(JSON.parse(flat))
    expect(isNestedTooDeep(JSON.parse(flat))).toBe(false)
  })
})
