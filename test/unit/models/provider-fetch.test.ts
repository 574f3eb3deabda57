import { describe, expect, it } from "vitest"
import { classifyModelError } from "../../../models/failure/classify-model-error.ts"
import { createProviderFetch, responseTimeoutMs } from "../../../models/provider-fetch.ts"
import { startFakeProvider } from "../../helpers/providers/fake-provider-server.ts"
import { modelSpec } from "../../helpers/providers/model-request.ts"

const post = { method: "POST", body: "{}" }

describe("provider fetch", () => {
  it("waits for the first byte as long as configured, then fails with a retryable error", async () => {
    await using server = await startFakeProvider([{ kind: "silence" }])
    const error = await createProviderFetch(1)(server.url, post).catch((thrown: unknown) => thrown)
    expect(classifyModelError(error, { spec: modelSpec(), apiKey: undefined }).message).toContain(
      "UND_ERR_HEADERS_TIMEOUT",
    )
    expect(classifyModelError(error, { spec: modelSpec(), apiKey: undefined }).kind).toBe("retry")
  })

  it("waits between chunks as long as configured", async () => {
    await using server = await startFakeProvider([{ kind: "sse", events: [{ data: "1" }], ending: "hang" }])
    const response = await createProviderFetch(1)(server.url, post)
    const error = await response.text().catch((thrown: unknown) => thrown)
    expect(classifyModelError(error, { spec: modelSpec(), apiKey: undefined }).kind).toBe("retry")
  })

  it("waits by default much longer than the five minutes of Node", () => {
    expect(responseTimeoutMs).toBeGreaterThanOrEqual(20 * 60_000)
  })
})
