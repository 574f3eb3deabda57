// Whole streams of each API in which single fields are another JSON value: what servers that imitate an API send.
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { isNormalEnd } from "../../../domain/run/answer-end.ts"
import { isRecord } from "../../../domain/text/is-record.ts"
import { AnthropicAnswer } from "../../../models/anthropic/anthropic-answer.ts"
import { classifyModelError } from "../../../models/failure/classify-model-error.ts"
import { type GrowingAnswer, readAnswer } from "../../../models/answer/growing-answer.ts"
import { ChatAnswer } from "../../../models/openai/chat-answer.ts"
import { OpenAiAnswer } from "../../../models/openai/openai-answer.ts"
import { toWireTools } from "../../../models/wire/wire-tools.ts"
import { isDeep } from "../../helpers/effort.ts"
import { createAnthropicAnswer } from "../../helpers/providers/anthropic-wire.ts"
import { createChatAnswer } from "../../helpers/providers/chat-wire.ts"
import type { FakeReply } from "../../helpers/providers/fake-provider-server.ts"
import { createModelRequest } from "../../helpers/providers/model-request.ts"
import {
  createOpenAiAnswer,
  createOpenAiCall,
  createOpenAiMessage,
  createOpenAiReasoningItem,
} from "../../helpers/providers/openai-responses-wire.ts"

const texts = ["<text 1>", "<text 2>"] as const
const [first, second] = texts

type Path = readonly (string | number)[]

/** Returns the paths of all values in a value, those of lists and objects included. */
const pathsIn = (value: unknown, path: Path = []): readonly Path[] => {
  const inner = Array.isArray(value) ? [...value.entries()] : isRecord(value) ? Object.entries(value) : []
  return [path, ...inner.flatMap(([key, each]) => pathsIn(each, [...path, key]))]
}

const withValue = (target: unknown, [key, ...rest]: Path, value: unknown): unknown => {
  if (key === undefined) return value
  if (Array.isArray(target)) return target.map((each, index) => (index === key ? withValue(each, rest, value) : each))
  if (!isRecord(target)) return target
  const changed = Object.entries({ ...target, [key]: withValue(target[key], rest, value) })
  // A field without a value is absent.
  return Object.fromEntries(changed.filter(([, each]) => each !== undefined))
}

const fieldOf = (value: unknown, ...path: Path): unknown =>
  path.reduce<unknown>(
    (each, key) => (typeof each === "object" && each !== null ? Reflect.get(each, key) : undefined),
    value,
  )

const dataOf = (reply: FakeReply): readonly unknown[] =>
  reply.kind === "sse" ? reply.events.map(({ data }) => data).filter((data) => typeof data !== "string") : []

const chatChunks = dataOf(
  createChatAnswer(
    [
      { role: "assistant", content: first },
      { content: second },
      { tool_calls: [{ index: 0, id: "call_1", type: "function", function: { name: "Read", arguments: "{}" } }] },
    ],
    { finishReason: "tool_calls" },
  ),
)
const messagesEvents = dataOf(
  createAnthropicAnswer([
    { type: "thinking", pieces: ["hm"], signature: "sig" },
    { type: "text", pieces: [first, second] },
    { type: "tool_use", id: "toolu_1", name: "Read", pieces: ["{}"] },
  ]),
)
/** An item that is added has no content yet. */
const asAdded = (event: unknown): unknown =>
  fieldOf(event, "type") === "response.output_item.added" ? withValue(event, ["item", "content"], []) : event
const responsesEvents = dataOf(
  createOpenAiAnswer([
    createOpenAiReasoningItem("rs_1", "hm", "encrypted"),
    createOpenAiMessage("msg_1", first + second),
    createOpenAiCall("fc_1", "call_1", { name: "Read", args: "{}" }),
  ]),
).map(asAdded)

interface Api {
  readonly name: string
  readonly events: readonly unknown[]
  readonly create: () => GrowingAnswer
  /** Whether an event says that the answer ended normally. */
  readonly endsNormally: (event: Readonly<Record<string, unknown>>) => boolean
}

const isOneOf = (value: unknown, ...words: readonly string[]): boolean => words.some((word) => word === value)

const apis: readonly Api[] = [
  {
    name: "Chat Completions",
    events: chatChunks,
    create: () =>
      new ChatAnswer(
        () => {},
        () => "",
        {},
      ),
    endsNormally: (event) =>
      isOneOf(fieldOf(event, "choices", 0, "finish_reason"), "stop", "tool_calls", "function_call") ||
      isOneOf(fieldOf(event, "choices", "finish_reason"), "stop", "tool_calls", "function_call"),
  },
  {
    name: "Messages",
    events: messagesEvents,
    create: () => new AnthropicAnswer(() => {}, {}),
    endsNormally: (event) => isOneOf(fieldOf(event, "delta", "stop_reason"), "end_turn", "tool_use", "stop_sequence"),
  },
  {
    name: "Responses",
    events: responsesEvents,
    create: () => new OpenAiAnswer(() => {}, {}),
    endsNormally: ({ type, response }) =>
      type === "response.completed" && isOneOf(fieldOf(response, "status") ?? "completed", "completed"),
  },
]

const json = fc.option(
  fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.constantFrom("stop", "length", "incomplete", "response.incomplete", 0, 1)),
  {
    nil: undefined,
  },
)

/** Streams of an API with up to three values changed. */
const changedStreams = ({ events }: Api, values = json): fc.Arbitrary<readonly unknown[]> => {
  const path = fc.constantFrom(...pathsIn(events).filter((each) => each.length > 0))
  return fc
    .array(fc.tuple(path, values), { minLength: 1, maxLength: 3 })
    .map((changes) => changes.reduce<unknown>((stream, [at, value]) => withValue(stream, at, value), events))
    .map((stream) => (Array.isArray(stream) ? stream.filter((event) => event !== undefined) : []))
}

/** With another text in one of two places, also as a list of texts, a stream would contradict itself. */
const noText = json.filter((value) => !pathsIn(value).some((path) => typeof fieldOf(value, ...path) === "string"))

const request = createModelRequest()

/** Reads events as they come over the network, up to a byte, and returns the message or the classified failure. */
const outcomeOf = async (api: Api, events: readonly unknown[], keep = 1) => {
  const body = `${events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("")}data: [DONE]\n\n`
  const bytes = Buffer.from(body)
  const response = new Response(bytes.subarray(0, Math.ceil(bytes.length * keep)))
  const wireTools = toWireTools(request.tools)
  return readAnswer(response, api.create(), { request, wireTools }).catch((error: unknown) => {
    if (error instanceof TypeError || error instanceof RangeError) throw error
    return classifyModelError(error, request)
  })
}

const numRuns = isDeep ? 5_000 : 100
const failureKinds: ReadonlySet<string> = new Set([
  "retry",
  "auth",
  "not_found",
  "quota",
  "bad_request",
  "context_exceeded",
])

describe.each(apis)("a stream of $name in which fields are other values", (api) => {
  it("is an answer or a failure of a known kind, wherever it ends", async () => {
    await fc.assert(
      fc.asyncProperty(changedStreams(api), fc.double({ min: 0, max: 1, noNaN: true }), async (events, keep) => {
        const outcome = await outcomeOf(api, events, keep)
        const counts = "parts" in outcome ? Object.values(outcome.usage) : []
        expect(counts.every((count) => Number.isSafeInteger(count) && count >= 0)).toBe(true)
        expect("parts" in outcome || failureKinds.has(outcome.kind)).toBe(true)
      }),
      { numRuns },
    )
  })

  it("has a normal end only if the server said so", async () => {
    await fc.assert(
      fc.asyncProperty(changedStreams(api), fc.double({ min: 0, max: 1, noNaN: true }), async (events, keep) => {
        const outcome = await outcomeOf(api, events, keep)
        if (!("parts" in outcome) || !isNormalEnd(outcome.stop)) return
        expect(events.filter((event) => isRecord(event)).some((event) => api.endsNormally(event))).toBe(true)
      }),
      { numRuns },
    )
  })

  it("loses no text that it still has", async () => {
    const isKind = (path: Path): boolean => path.at(-1) === "type" || path.at(-1) === "object"
    const kinds = pathsIn(api.events).filter((path) => isKind(path))
    await fc.assert(
      fc.asyncProperty(changedStreams(api, noText), async (changed) => {
        // What an event or a part of unknown kind contains is not known to be a text.
        const events = kinds.reduce<unknown>(
          (stream, path) => withValue(stream, path, fieldOf(api.events, ...path)),
          changed,
        )
        if (!Array.isArray(events)) return
        const outcome = await outcomeOf(api, events)
        if (!("parts" in outcome)) return
        const sent = JSON.stringify(events)
        const got = JSON.stringify(outcome.parts)
        for (const text of texts) expect(got.includes(text)).toBe(sent.includes(text))
      }),
      { numRuns },
    )
  })
})
