import { describe, expect, it } from "vitest"
import { classifyModelError } from "../../../models/classify-model-error.ts"
import { createProviderFetch, responseTimeoutMs } from "../../../models/provider-fetch.ts"
import { startFakeProvider } from "../../helpers/providers/fake-provider-server.ts"
import { modelSpec } from "../../helpers/providers/model-request.ts"

const post = { method: "POST", body: "{}" }

describe("provider fetch", () => {
  it("waits for a first byte as long as it is told, then fails as worth a retry", async () => {
    await using server = await startFakeProvider([{ kind: "silence" }])
    const error = await createProviderFetch(1)(server.url, post).catch((thrown: unknown) => thrown)
    expect(classifyModelError(error, { spec: modelSpec(), apiKey: undefined }).message).toContain(
      "UND_ERR_HEADERS_TIMEOUT",
    )
    expect(classifyModelError(error, { spec: modelSpec(), apiKey: undefined }).kind).toBe("retry")
  })

  it("waits between chunks as long as it is told", async () => {
    await using server = await startFakeProvider([{ kind: "sse", events: [{ data: "1" }], ending: "hang" }])
    const response = await createProviderFetch(1)(server.url, post)
    const error = await response.text().catch((thrown: unknown) => thrown)
    expect(classifyModelError(error, { spec: modelSpec(), apiKey: undefined }).kind).toBe("retry")
  })

  it("is far above the five minutes of Node's own by default", () => {
    expect(responseTimeoutMs).toBeGreaterThanOrEqual(20 * 60_000)
  })
})
