import { describe, expect, it } from "vitest"
import type { AssistantMessage } from "../../../../contracts/message.ts"
import { toAnswerEnd } from "../../../../models/answer/answer-end.ts"
import { anthropicProvider } from "../../../../models/anthropic/anthropic.ts"
import type { ModelProvider } from "../../../../models/model-provider.ts"
import { openAiCompatibleProvider } from "../../../../models/openai/openai-compatible.ts"
import { openAiProvider } from "../../../../models/openai/openai.ts"
import { scriptedProvider } from "../../../../models/scripted/scripted.ts"
import { createAnthropicAnswer } from "../../../helpers/providers/anthropic-wire.ts"
import { createChatAnswer } from "../../../helpers/providers/chat-wire.ts"
import { type FakeReply, startFakeProvider } from "../../../helpers/providers/fake-provider-server.ts"
import { createModelRequest, modelSpec } from "../../../helpers/providers/model-request.ts"
import { createOpenAiAnswer, createOpenAiCall } from "../../../helpers/providers/openai-responses-wire.ts"
import { writeScript } from "../../../helpers/providers/write-script.ts"

type Provider = "openai-compatible" | "anthropic" | "openai" | "scripted"
type Ends = readonly (readonly [word: string, stop: AssistantMessage["stop"]])[]

const ends: Readonly<Record<Provider, Ends>> = {
  "openai-compatible": [
    ["stop", "tool_calls"],
    ["tool_calls", "tool_calls"],
    ["function_call", "tool_calls"],
    ["eos", "tool_calls"],
    ["length", "max_tokens"],
    ["model_length", "context_exceeded"],
    ["content_filter", "refusal"],
    ["insufficient_system_resource", "unknown"],
  ],
  anthropic: [
    ["end_turn", "tool_calls"],
    ["tool_use", "tool_calls"],
    ["stop_sequence", "tool_calls"],
    ["max_tokens", "max_tokens"],
    ["pause_turn", "pause_turn"],
    ["refusal", "refusal"],
    ["model_context_window_exceeded", "context_exceeded"],
    ["compaction", "unknown"],
  ],
  openai: [
    ["completed", "tool_calls"],
    ["max_output_tokens", "max_tokens"],
    ["content_filter", "refusal"],
    ["a_reason_of_tomorrow", "unknown"],
  ],
  scripted: [
    ["end_turn", "tool_calls"],
    ["tool_calls", "tool_calls"],
    ["max_tokens", "max_tokens"],
    ["pause_turn", "pause_turn"],
    ["refusal", "refusal"],
    ["context_exceeded", "context_exceeded"],
    ["unknown", "unknown"],
  ],
}

const cases = Object.entries(ends).flatMap(([provider, words]) =>
  words.flatMap(([word, stop]) => ["", "{}"].map((args) => ({ provider, word, stop, args }))),
)

const replyOf = (provider: string, word: string, args: string): FakeReply => {
  switch (provider) {
    case "openai-compatible": {
      const call = { index: 0, id: "a", function: { name: "deploy", arguments: args } }
      return createChatAnswer([{ tool_calls: [call] }], { finishReason: word })
    }
    case "anthropic": {
      const block = { type: "tool_use", id: "a", name: "deploy", pieces: args === "" ? [] : [args] } as const
      return createAnthropicAnswer([block], { stopReason: word })
    }
    default:
      return createOpenAiAnswer(
        [createOpenAiCall("i", "a", { name: "deploy", args })],
        word === "completed" ? {} : { status: "incomplete", incompleteReason: word },
      )
  }
}

const providers: Readonly<Record<string, ModelProvider>> = {
  "openai-compatible": openAiCompatibleProvider,
  anthropic: anthropicProvider,
  openai: openAiProvider,
}

const ask = async (provider: string, word: string, args: string): Promise<AssistantMessage> => {
  if (provider === "scripted") {
    const call = `{ name: deploy, arguments: ${JSON.stringify(args)} }`
    await using script = await writeScript(`turns:\n  - reply: { stop: ${word}, tool_calls: [${call}] }\n`)
    const spec = modelSpec({ provider: "scripted", model: "demo", script: script.file })
    return await scriptedProvider.respond(createModelRequest({ apiKey: undefined, spec }))
  }
  await using server = await startFakeProvider([replyOf(provider, word, args)])
  const spec = modelSpec({
    provider: provider === "openai" ? "openai" : provider === "anthropic" ? "anthropic" : "openai-compatible",
    baseUrl: server.url,
  })
  const used = providers[provider]
  if (used === undefined) throw new Error(`there is no provider ${provider}`)
  return await used.respond(createModelRequest({ spec }))
}

describe("the end of an answer with a call", () => {
  it.each(cases)(
    "of $provider with $word and the arguments '$args' is $stop",
    async ({ provider, word, stop, args }) => {
      const message = await ask(provider, word, args)
      expect(message.stop).toBe(stop)
      const isNormal = stop === "tool_calls"
      const expected = args === "" && !isNormal ? { arguments: null, raw_arguments: "" } : { arguments: {} }
      expect(message.parts).toMatchObject([{ type: "tool_call", call: { name: "deploy", ...expected } }])
      expect(message.stop_word ?? "").toContain(stop === "unknown" ? word : "")
    },
  )

  it("takes a word of normalEnds for a normal end, and never one that is known", () => {
    const own = { normalEnds: ["eos", "length"], hasCalls: true }
    expect(toAnswerEnd("chat", "eos", own)).toEqual({ stop: "tool_calls" })
    expect(toAnswerEnd("chat", "length", own)).toEqual({ stop: "max_tokens" })
    expect(toAnswerEnd("chat", "constructor", own)).toMatchObject({ stop: "unknown" })
  })

  it("counts as refused where a part of the answer says so", () => {
    expect(toAnswerEnd("responses", "completed", { hasCalls: true, isRefused: true })).toEqual({ stop: "refusal" })
  })

  it("retries an answer that announces calls and has none", async () => {
    await using server = await startFakeProvider([
      createChatAnswer([{ content: "I will look." }], { finishReason: "tool_calls" }),
    ])
    const spec = modelSpec({ provider: "openai-compatible", baseUrl: server.url })
    const answer = openAiCompatibleProvider.respond(createModelRequest({ spec }))
    await expect(answer).rejects.toMatchObject({ kind: "retry" })
  })
})
