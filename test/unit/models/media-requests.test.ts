import { describe, expect, it } from "vitest"
import type { MediaReference, Message } from "../../../contracts/message.ts"
import { anthropicProvider } from "../../../models/anthropic/anthropic.ts"
import type { ModelProvider, ModelRequest } from "../../../models/model-provider.ts"
import { openAiCompatibleProvider } from "../../../models/openai/openai-compatible.ts"
import { openAiProvider } from "../../../models/openai/openai.ts"
import { createPdf, createPng } from "../../helpers/media-files.ts"
import { createAnthropicText } from "../../helpers/providers/anthropic-wire.ts"
import { createChatAnswer, createChatText } from "../../helpers/providers/chat-wire.ts"
import { type FakeReply, startFakeProvider } from "../../helpers/providers/fake-provider-server.ts"
import {
  createAssistantMessage,
  createCallPart,
  createModelRequest,
  createToolResult,
  createUserMessage,
  modelSpec,
} from "../../helpers/providers/model-request.ts"
import { createOpenAiAnswer, createOpenAiMessage } from "../../helpers/providers/openai-responses-wire.ts"

const image = createPng(8, 6).toString("base64")
const document = createPdf(1).toString("base64")
const media = new Map([
  ["img", image],
  ["doc", document],
])
const common = { type: "media", sha256: "s", bytes: 100 } as const
const references: MediaReference[] = [
  { ...common, id: "img", media_type: "image/png", width: 8, height: 6 },
  { ...common, id: "doc", media_type: "application/pdf", pages: 1 },
]

const transcript: readonly Message[] = [
  createUserMessage("Look."),
  createAssistantMessage([createCallPart("a"), createCallPart("b")]),
  createToolResult("a", "[a.png: PNG image]\n[a.pdf: PDF]", { media: references }),
  createToolResult("b", "text"),
  createUserMessage("Continue."),
]

interface Asked {
  readonly provider: ModelProvider
  readonly name: ModelRequest["spec"]["provider"]
  readonly reply: FakeReply
  readonly path?: string
}

const send = async ({ provider, name, reply, path = "" }: Asked, fields: Partial<ModelRequest> = {}) => {
  await using server = await startFakeProvider([reply])
  const spec = modelSpec({ provider: name, model: "m-1", baseUrl: `${server.url}${path}` })
  const message = await provider.respond(createModelRequest({ spec, messages: transcript, media, ...fields }))
  return { message, body: server.requests[0]?.body ?? {} }
}

const anthropic: Asked = { provider: anthropicProvider, name: "anthropic", reply: createAnthropicText("Seen.") }
const openai: Asked = {
  provider: openAiProvider,
  name: "openai",
  reply: createOpenAiAnswer([createOpenAiMessage("msg_1", "Seen.")]),
  path: "/v1",
}
const chat: Asked = {
  provider: openAiCompatibleProvider,
  name: "openai-compatible",
  reply: createChatText("Seen."),
  path: "/v1",
}

describe("a request with an image and a PDF in a tool's result", () => {
  it("has them as blocks of the result, for Anthropic", async () => {
    const { body } = await send(anthropic)
    expect(body["messages"]).toMatchObject([
      { role: "user" },
      { role: "assistant" },
      {
        role: "user",
        content: [
          {
            type: "tool_result",
            tool_use_id: "a",
            content: [
              { type: "text", text: "[a.png: PNG image]\n[a.pdf: PDF]" },
              { type: "image", source: { type: "base64", media_type: "image/png", data: image } },
              { type: "document", source: { type: "base64", media_type: "application/pdf", data: document } },
            ],
          },
          { type: "tool_result", tool_use_id: "b", content: "text" },
          { type: "text", text: "Continue." },
        ],
      },
    ])
  })

  it("has them as parts of the call's output, for OpenAI", async () => {
    const { body } = await send(openai)
    expect(body["input"]).toContainEqual({
      type: "function_call_output",
      call_id: "a",
      output: [
        { type: "input_text", text: "[a.png: PNG image]\n[a.pdf: PDF]" },
        { type: "input_image", image_url: `data:image/png;base64,${image}`, detail: "auto" },
        { type: "input_file", filename: "document.pdf", file_data: `data:application/pdf;base64,${document}` },
      ],
    })
    expect(body["input"]).toContainEqual({ type: "function_call_output", call_id: "b", output: "text" })
  })

  it("has them in the user message after all results, for Chat Completions", async () => {
    const { body } = await send(chat)
    const rows = body["messages"]
    expect(Array.isArray(rows) ? rows.slice(-3) : rows).toEqual([
      { role: "tool", tool_call_id: "a", content: "[a.png: PNG image]\n[a.pdf: PDF]" },
      { role: "tool", tool_call_id: "b", content: "text" },
      {
        role: "user",
        content: [
          { type: "text", text: "From the result of Read:" },
          { type: "image_url", image_url: { url: `data:image/png;base64,${image}` } },
          { type: "file", file: { filename: "document.pdf", file_data: `data:application/pdf;base64,${document}` } },
          { type: "text", text: "Continue." },
        ],
      },
    ])
  })

  it.each([anthropic, openai, chat])(
    "is text alone without their bytes, and for a result with an error: $name",
    async (asked) => {
      const without = await send(asked, { media: new Map() })
      expect(JSON.stringify(without.body)).not.toMatch(/base64/)
      const failed = transcript.map((row) => (row.role === "tool" ? { ...row, outcome: "error" as const } : row))
      const { body } = await send(asked, { messages: failed })
      expect(JSON.stringify(body)).not.toMatch(/base64/)
      expect(JSON.stringify(body)).toContain("[a.png: PNG image]")
    },
  )

  it("is not counted as text, if a server reports no tokens", async () => {
    const reply = createChatAnswer([{ role: "assistant", content: "Seen." }], { usage: null })
    const tokensOf = async (data: string) =>
      (await send({ ...chat, reply }, { media: new Map([["img", data]]) })).message.usage.inputTokens
    expect(await tokensOf("A".repeat(40_000))).toBe(await tokensOf("A"))
  })
})
