import { afterEach, describe, expect, it } from "vitest"
import { createFakeModel } from "../../helpers/models/fake-model.ts"
import { type HttpHarness, openHttpHarness } from "../../helpers/http/http-harness.ts"

let harness: HttpHarness
afterEach(() => harness.close())

const model = createFakeModel((_, turn) => (turn === 1 ? { calls: [["LS", {}]] } : { text: "Done." }))
describe("the OpenAPI document", () => {
  it("names every route of the API, in version 3.1, with the schema of its errors", async () => {
    harness = await openHttpHarness({ model, worker: false })
    const { body } = await harness.get("/openapi.json")
    expect(body.openapi).toBe("3.1.0")
    const routes = Object.entries<object>(body.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method} ${path}`),
    )
    expect(routes).toEqual(
      expect.arrayContaining([
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
      ]),
    )
    const failure = body.paths["/v1/sessions/{id}"].get.responses["4XX"].content["application/json"].schema
    expect(Object.keys(failure.properties)).toEqual(["error", "code", "request_id"])
  })
})
