import { afterEach, describe, expect, it, vi } from "vitest"
import { classifyModelError } from "../../../../models/failure/classify-model-error.ts"
import { azureOpenAiProvider } from "../../../../models/openai/azure-openai.ts"
import { createChatAnswer } from "../../../helpers/providers/chat-wire.ts"
import {
  type FakeReply,
  type RecordedRequest,
  startFakeProvider,
} from "../../../helpers/providers/fake-provider-server.ts"
import { createModelRequest, modelSpec } from "../../../helpers/providers/model-request.ts"

afterEach(() => vi.unstubAllEnvs())

const key = "sk-test-secret-key"
const path = "/openai/deployments/my-gpt/chat/completions?api-version=2024-12-01-preview"

const filtered = { hate: { filtered: false, severity: "safe" } }

/** Answers as Azure does: only at the path of the deployment, only with one kind of credential, and with its filter's findings in the stream. */
const azure = ({ path: asked, headers }: RecordedRequest): FakeReply => {
  const isKey = headers["api-key"] === key && headers.authorization === undefined
  const isToken = headers.authorization === `Bearer ${key}` && headers["api-key"] === undefined
  const refuse = (status: number, code: string, message: string): FakeReply => ({
    kind: "http",
    status,
    body: { error: { code, message } },
  })
  if (asked !== path) return refuse(404, "DeploymentNotFound", "The API deployment for this resource does not exist.")
  if (!isKey && !isToken) return refuse(401, "401", "Access denied due to invalid subscription key")
  const answer = createChatAnswer([
    { role: "assistant", content: "hi" },
    { tool_calls: [{ index: 0, id: "a", type: "function", function: { name: "Read", arguments: "{}" } }] },
  ])
  if (answer.kind !== "sse") return answer
  const first = {
    choices: [],
    model: "",
    prompt_filter_results: [{ prompt_index: 0, content_filter_results: filtered }],
  }
  const last = { choices: [{ index: 0, finish_reason: null, content_filter_results: filtered, delta: {} }] }
  return { ...answer, events: [{ data: first }, ...answer.events.slice(0, -1), { data: last }, { data: "[DONE]" }] }
}

const ask = async (
  spec: Partial<Parameters<typeof modelSpec>[0]> = {},
  request: Partial<Parameters<typeof createModelRequest>[0]> = {},
) => {
  await using server = await startFakeProvider(azure)
  const settings = { deployment: "my-gpt", apiVersion: "2024-12-01-preview", auth: "key" as const }
  const model = modelSpec({ provider: "azure-openai", model: "gpt-5.5", baseUrl: server.url, azure: settings, ...spec })
  const reply = await azureOpenAiProvider
    .respond({ ...createModelRequest({ spec: model }), apiKey: key, ...request })
    .catch((error: unknown) =>
      classifyModelError(error, { spec: model, apiKey: key, signal: AbortSignal.any([]), tools: [] }),
    )
  return { reply, requests: [...server.requests] }
}

describe("a model of Azure OpenAI", () => {
  it("is asked at the path of its deployment, with the key of the resource and no secret of the environment", async () => {
    for (const name of ["OPENAI_CUSTOM_HEADERS", "OPENAI_API_KEY", "AZURE_OPENAI_API_KEY", "OPENAI_ORG_ID"])
      vi.stubEnv(name, "x-other: other-secret")
    vi.stubEnv("OPENAI_BASE_URL", "http://127.0.0.1:9/other")
    vi.stubEnv("OPENAI_API_VERSION", "1999-01-01")
    const { reply, requests } = await ask({}, { headers: { "X-Team": "search" } })
    expect(reply).toMatchObject({ provider: "azure-openai", model: "gpt-5.5", stop: "tool_calls" })
    expect(reply).toMatchObject({
      parts: [
        { type: "text", text: "hi" },
        { type: "tool_call", call: { name: "Read", arguments: {} } },
      ],
    })
    expect(requests).toHaveLength(1)
    expect(requests[0]).toMatchObject({ path, headers: { "api-key": key, "x-team": "search" } })
    expect(requests[0]?.body).toMatchObject({ max_completion_tokens: 1_000, stream: true })
    expect(JSON.stringify(requests)).not.toContain("other-secret")
  })

  it("is asked with a token of Entra ID", async () => {
    vi.stubEnv("AZURE_OPENAI_API_KEY", "other-secret")
    const settings = { deployment: "my-gpt", apiVersion: "2024-12-01-preview", auth: "token" as const }
    const { reply, requests } = await ask({ azure: settings })
    expect(reply).toMatchObject({ stop: "tool_calls" })
    expect(requests[0]?.headers.authorization).toBe(`Bearer ${key}`)
    expect(JSON.stringify(requests)).not.toContain("other-secret")
  })

  it("says what is wrong with the deployment, the key and the address", async () => {
    const gone = { deployment: "gone", apiVersion: "2024-12-01-preview", auth: "key" as const }
    const { reply: missing } = await ask({ azure: gone })
    expect(missing).toMatchObject({
      message: expect.stringContaining("API deployment for this resource does not exist"),
    })
    const { reply: refused } = await ask({}, { apiKey: "sk-wrong" })
    expect(refused).toMatchObject({ kind: "auth", message: expect.stringContaining("AZURE_OPENAI_API_KEY") })
    const { reply: keyless } = await ask({}, { apiKey: undefined })
    expect(keyless).toMatchObject({ kind: "auth", message: expect.stringContaining("set AZURE_OPENAI_API_KEY") })
    const { reply: nowhere } = await ask({ baseUrl: undefined })
    expect(nowhere).toMatchObject({ message: expect.stringContaining("AZURE_OPENAI_ENDPOINT") })
  })

  it("can have another dialect", async () => {
    const { requests } = await ask({ dialect: { maxTokensField: "max_tokens" } })
    expect(requests[0]?.body).toMatchObject({ max_tokens: 1_000 })
  })
})
