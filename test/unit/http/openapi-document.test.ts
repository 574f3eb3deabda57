import { createConfig, lintFromString } from "@redocly/openapi-core"
import { describe, expect, it } from "vitest"
import { statusSchema } from "../../../contracts/status.ts"
import { httpFixture } from "./http-fixture.ts"

const documentWith = async (options: Parameters<typeof httpFixture>[0] = {}) => {
  const { ask } = await httpFixture(options)
  const { body, text } = await ask({ url: "/openapi.json" })
  return { document: body, text }
}

/** Problems that redocly's recommended rules find, by rule and place. */
const problemsIn = async (text: string): Promise<readonly string[]> => {
  const config = await createConfig({ extends: ["recommended"] })
  const problems = await lintFromString({ source: text, absoluteRef: "openapi.json", config })
  return problems.map(({ ruleId, message, location }) => `${ruleId}: ${message} ${location[0]?.pointer ?? ""}`)
}

const routes = [
  "post /v1/sessions",
  "get /v1/sessions",
  "get /v1/sessions/{id}",
  "delete /v1/sessions/{id}",
  "get /v1/sessions/{id}/messages",
  "post /v1/sessions/{id}/messages",
  "get /v1/sessions/{id}/diff",
  "get /v1/sessions/{id}/tree",
  "get /v1/sessions/{id}/events",
  "get /v1/sessions/{id}/tools/pending",
  "post /v1/sessions/{id}/tools/decisions",
  "post /v1/sessions/{id}/cancel",
  "post /v1/sessions/{id}/model",
  "post /v1/sessions/{id}/fork",
  "get /v1/approvals",
  "get /v1/approvals/{token}",
  "post /v1/approvals/{token}",
  "post /v1/hooks/{name}",
]

describe("the OpenAPI document", () => {
  it("names every route of the API, in version 3.1", async () => {
    const { document } = await documentWith()
    expect(document.openapi).toBe("3.1.0")
    const named = Object.entries<object>(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method} ${path}`),
    )
    expect(named).toEqual(expect.arrayContaining(routes))
    expect(Object.keys(document.components.schemas.Error.properties)).toEqual(["error", "code", "request_id", "reason"])
  })

  it("breaks no recommended rule of redocly, with and without tokens", async () => {
    const open = await documentWith()
    expect(await problemsIn(open.text)).toEqual([])
    const closed = await documentWith({ localToken: async () => "a-token" })
    expect(await problemsIn(closed.text)).toEqual([])
  })

  it("names every operation once, and the shapes that clients use", async () => {
    const { document } = await documentWith()
    const operations = Object.values<object>(document.paths).flatMap((path) => Object.values(path))
    const ids = operations.map(({ operationId }) => operationId)
    expect(ids).not.toContain(undefined)
    expect(new Set(ids).size).toBe(ids.length)
    expect(Object.keys(document.components.schemas)).toEqual(
      expect.arrayContaining(["Session", "PendingCall", "OutcomeDocument", "Error", "Approval", "Grant", "Status"]),
    )
    const get = document.paths["/v1/sessions/{id}"].get
    expect(get.responses["4XX"].content["application/json"].schema).toEqual({ $ref: "#/components/schemas/Error" })
  })

  it("lists each status of the counts of sessions as a property", async () => {
    const { document } = await documentWith()
    const list = document.paths["/v1/sessions"].get.responses["200"].content["application/json"].schema
    expect(Object.keys(list.properties.counts.properties)).toEqual(statusSchema.options)
  })

  it("names the public address of the server, and requires a token only where one is needed", async () => {
    const config = { http: { publicUrl: "https://adjutant.example.com" } }
    const { document } = await documentWith({ config, localToken: async () => "a-token" })
    expect(document.servers).toEqual([{ url: "https://adjutant.example.com" }])
    expect(document.security).toEqual([{ token: [] }])
    expect((await documentWith()).document.security).toEqual([{ token: [] }, {}])
  })
})
