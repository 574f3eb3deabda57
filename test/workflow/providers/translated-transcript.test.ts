import { afterEach, describe, expect, it } from "vitest"
import { isRecord } from "../../../domain/text/is-record.ts"
import { type Harness, openHarness } from "../../helpers/engine/workflow-harness.ts"
import { createFakeTurns } from "../../helpers/models/fake-model.ts"
import {
  createAnthropicAnswer,
  createAnthropicError,
  createAnthropicText,
} from "../../helpers/providers/anthropic-wire.ts"
import {
  type FakeProvider,
  type FakeReply,
  type RecordedRequest,
  startFakeProvider,
} from "../../helpers/providers/fake-provider-server.ts"
import {
  createOpenAiAnswer,
  createOpenAiCall,
  createOpenAiError,
  createOpenAiReasoningItem,
} from "../../helpers/providers/openai-responses-wire.ts"

let harness: Harness
let server: FakeProvider
afterEach(async () => {
  await harness.close()
  await server.close()
})

const isOfAnthropic = ({ path }: Pick<RecordedRequest, "path">): boolean => path.endsWith("/messages")
const itemsOf = (request: RecordedRequest): readonly Record<string, unknown>[] => {
  const key = isOfAnthropic(request) ? "messages" : "input"
  const rows = request.body[key]
  if (!Array.isArray(rows)) throw new Error(`the request has no ${key}`)
  return rows.flatMap((row) => (isOfAnthropic(request) ? row.content : row)).filter(isRecord)
}
const idsOf = (request: RecordedRequest, type: string, field: string): readonly unknown[] =>
  itemsOf(request).flatMap((item) => (item["type"] === type ? [item[field]] : []))

/** The ids of the calls of a prompt, and those of their results. */
const pairsOf = (request: RecordedRequest) =>
  isOfAnthropic(request)
    ? { calls: idsOf(request, "tool_use", "id"), results: idsOf(request, "tool_result", "tool_use_id") }
    : {
        calls: idsOf(request, "function_call", "call_id"),
        results: idsOf(request, "function_call_output", "call_id"),
      }

describe("a transcript that goes to another provider and back", () => {
  it("keeps every call with its result, and leaves thinking to the model that wrote it", async () => {
    let isDown = false
    const anthropic = (turn: number): FakeReply => {
      if (isDown) return createAnthropicError(529, { type: "overloaded_error", message: "overloaded" })
      if (turn > 1) return createAnthropicText("All was looked at.")
      isDown = true
      return createAnthropicAnswer([
        { type: "thinking", pieces: ["private thought"], signature: "sig-1" },
        { type: "text", pieces: ["I look."] },
        { type: "tool_use", id: "toolu_1", name: "LS", pieces: ["{}"] },
        { type: "tool_use", id: "toolu_2", name: "LS", pieces: ['{"path":"."}'] },
      ])
    }
    const openai = (turn: number): FakeReply => {
      if (turn === 4) {
        isDown = false
        return createOpenAiError(503, { code: "server_error", message: "unavailable" })
      }
      return createOpenAiAnswer([
        createOpenAiReasoningItem(`rs_${turn}`, "hidden reasoning", "encrypted"),
        createOpenAiCall(`fc_${turn}`, `call_${turn}`, { name: "LS", args: "{}" }),
      ])
    }
    server = await startFakeProvider((request) => {
      const turns = Math.max(0, pairsOf(request).calls.length - 1) + 1
      return isOfAnthropic(request) ? anthropic(turns) : openai(turns)
    })
    const price = { inputPerMTok: 1, outputPerMTok: 10 }
    harness = await openHarness({
      model: createFakeTurns(),
      env: { ANTHROPIC_API_KEY: "sk-test-never-shown", OPENAI_API_KEY: "sk-test-never-shown" },
      config: {
        models: {
          main: { provider: "anthropic", model: "claude-fake", baseUrl: server.url, fallback: ["other"] },
          other: { provider: "openai", model: "gpt-5-fake", baseUrl: `${server.url}/v1` },
        },
        prices: { "claude-fake": price, "gpt-5-fake": price },
        timing: { modelAttempts: 2, providerPauseSeconds: 60 },
      },
    })
    const id = await harness.start()
    expect(await harness.client.wait(id)).toMatchObject({
      outcome: "completed",
      final_message: "All was looked at.",
      steps_taken: 4,
    })
    for (const request of server.requests) {
      const { calls, results } = pairsOf(request)
      expect(results).toEqual(calls)
    }
    const sent = server.requests.map((request) => ({
      isOfAnthropic: isOfAnthropic(request),
      text: JSON.stringify(request.body),
    }))
    const toOpenAi = sent.filter((request) => !request.isOfAnthropic)
    expect(toOpenAi.length).toBeGreaterThan(0)
    for (const { text } of toOpenAi) {
      expect(text).not.toMatch(/private thought|sig-1/)
      expect(text).toContain("I look.")
    }
    const last = sent.at(-1)
    expect(last?.isOfAnthropic).toBe(true)
    // Its own thinking goes back to it; that of the other provider does not.
    expect(last?.text).toContain("sig-1")
    expect(last?.text).not.toMatch(/hidden reasoning|encrypted/)
    expect(server.requests.map((request) => pairsOf(request).calls.length).at(-1)).toBe(4)
    const { events } = await harness.store.events.read(id, { after: 0, limit: 1_000 })
    const changes = events.filter(({ type }) => type === "model-changed").map(({ step, from, to }) => [step, from, to])
    expect(changes).toEqual([
      [2, "main", "other"],
      [4, "other", "main"],
    ])
  })
})
