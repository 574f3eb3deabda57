import { describe, expect, it } from "vitest"
import type { MediaReference, Message } from "../../../../contracts/message.ts"
import type { InputKind } from "../../../../contracts/run/model-provider.ts"
import type { ModelSpec } from "../../../../contracts/run-snapshot.ts"
import { promptView } from "../../../../domain/compaction/prompt-view.ts"
import { messageTokens, planCompaction } from "../../../../domain/compaction/plan-compaction.ts"
import { hasMedia, messageFor, messagesFor } from "../../../../domain/media/model-messages.ts"
import { acceptedInput } from "../../../../domain/media/model-input.ts"
import { mediaTokens } from "../../../../domain/media/media-tokens.ts"
import { createAssistantMessage, createCallPart, createToolResult } from "../../../helpers/providers/model-request.ts"

const reference = (id: string, fields: Partial<MediaReference> = {}): MediaReference => ({
  type: "media",
  id,
  media_type: "image/png",
  bytes: 34_000,
  sha256: id.repeat(4),
  width: 800,
  height: 600,
  ...fields,
})
const pdf = (id: string, pages: number): MediaReference => {
  const { width: _, height: __, ...rest } = reference(id, { media_type: "application/pdf", pages })
  return rest
}
const result = (id: string, media: MediaReference[], name = "Read"): Message =>
  createToolResult(id, `[${id}: shown]`, { media, name })

const claude = { provider: "anthropic", model: "claude-opus-5-5" } as const
const local = { provider: "openai-compatible", model: "qwen3" } as const
const all = { isUsable: () => true }
const contentOf = (message: Message | undefined): string => (message?.role === "tool" ? message.content : "")
const idsOf = (messages: readonly Message[]): readonly string[] =>
  messages.flatMap((message) => (hasMedia(message) ? message.media.map(({ id }) => id) : []))

describe("what a model gets of images and PDF files", () => {
  it("are the references, if it takes them", () => {
    const messages = [result("a", [reference("a"), pdf("b", 2)])]
    expect(messagesFor(messages, claude, all)).toEqual(messages)
  })

  it("is a clear text, if it does not take them", () => {
    const [both] = messagesFor([result("a", [reference("a"), pdf("b", 2), pdf("c", 1)])], local, all)
    expect(both).not.toHaveProperty("media")
    expect(contentOf(both)).toBe(
      "[a: shown]\n[The PNG image is not shown: the model in use does not accept images.]\n" +
        "[2 images and files are not shown: the model in use does not accept PDF files.]",
    )
    const [onlyPdf] = messagesFor(
      [result("a", [reference("a"), pdf("b", 2)])],
      { ...local, input: ["text", "image"] },
      all,
    )
    expect(idsOf(onlyPdf === undefined ? [] : [onlyPdf])).toEqual(["a"])
    expect(contentOf(onlyPdf)).toMatch(/\n\[The PDF is not shown: the model in use does not accept PDF files\.\]$/)
  })

  it("is a text, if the provider has refused them", () => {
    const [message] = messagesFor([result("a", [reference("a"), reference("b")])], claude, {
      isUsable: (id) => id === "b",
    })
    expect(idsOf(message === undefined ? [] : [message])).toEqual(["b"])
    expect(contentOf(message)).toContain("[The PNG image is not shown: the model's provider did not accept it.]")
  })

  it("is unchanged for a cassette, which compares with what was recorded", () => {
    const messages = [result("a", [reference("a")])]
    expect(messagesFor(messages, { provider: "cassette", model: "c" }, { isUsable: () => false })).toBe(messages)
  })

  it.each([
    ["20 items", (id: string) => reference(id), 20],
    ["15 MB", (id: string) => reference(id, { bytes: 3_700_000 }), 4],
    ["100 pages", (id: string) => pdf(id, 25), 4],
  ])("is bounded by %s in one request, and changes seldom as the conversation grows", (_, of, most) => {
    const messages: Message[] = []
    let before: readonly Message[] = []
    let changes = 0
    for (let count = 1; count <= 60; count += 1) {
      messages.push(result(`m${count}`, [of(`m${count}`)]))
      const now = messagesFor(messages, claude, all)
      const ids = idsOf(now)
      expect(ids.length).toBeLessThanOrEqual(most)
      expect(ids.at(-1)).toBe(`m${count}`)
      if (JSON.stringify(now.slice(0, before.length)) !== JSON.stringify(before)) changes += 1
      before = now
    }
    expect(changes).toBeLessThanOrEqual(60 / (most / 2))
    expect(contentOf(before[0])).toBe(
      `[m1: shown]\n[The ${of("x").media_type === "image/png" ? "PNG image" : "PDF"} is not shown any more, to save context. Call Read with the same arguments to see it again.]`,
    )
  })

  it("does not get older ones back if the provider refuses the newest one", () => {
    const messages = Array.from({ length: 21 }, (_, index) => result(`m${index}`, [reference(`m${index}`)]))
    const before = idsOf(messagesFor(messages, claude, all))
    expect(before).toHaveLength(10)
    const isUsable = (id: string) => id !== "m20"
    const after = messagesFor(messages, claude, { isUsable })
    expect(idsOf(after)).toEqual(before.slice(0, -1))
    expect(contentOf(after.at(-1))).toContain("did not accept it")
    // What a compaction has been given before knows refused ones as texts only.
    const taken = messages.map((message) => messageFor(message, claude, isUsable))
    expect(idsOf(messagesFor(taken, claude, { isUsable, stored: messages }))).toEqual(before.slice(0, -1))
  })

  it.each([
    [claude, ["text", "image", "pdf"]],
    [{ provider: "anthropic", model: "claude-3-haiku-20240307" }, ["text", "image"]],
    [{ provider: "anthropic", model: "some-proxy" }, ["text"]],
    [{ provider: "openai", model: "gpt-6-luna" }, ["text", "image", "pdf"]],
    [{ provider: "openai", model: "o3-mini" }, ["text"]],
    [{ provider: "openai", model: "gpt-4" }, ["text"]],
    [{ provider: "openai", model: "gpt-4o" }, ["text", "image", "pdf"]],
    [{ provider: "openai", model: "gpt-4-turbo" }, ["text", "image"]],
    [{ provider: "openai", model: "gpt-4o-audio-preview" }, ["text"]],
    [{ provider: "openai", model: "gpt-4o-search-preview" }, ["text"]],
    [{ provider: "openai", model: "gpt-4o-realtime-preview" }, ["text"]],
    [{ provider: "openai", model: "gpt-4o-transcribe" }, ["text"]],
    [{ provider: "openai", model: "gpt-4o-mini-tts" }, ["text"]],
    [{ provider: "openai", model: "gpt-image-1" }, ["text"]],
    [{ provider: "openai", model: "gpt-realtime" }, ["text"]],
    [{ provider: "openai", model: "gpt-audio-mini" }, ["text"]],
    [{ provider: "openai", model: "ft:gpt-3.5-turbo:me" }, ["text"]],
    [{ provider: "openai", model: "text-embedding-3-large" }, ["text"]],
    [{ provider: "anthropic", model: "claude-instant-1.2" }, ["text"]],
    [{ provider: "scripted", model: "scripted" }, ["text"]],
    [{ ...local, input: ["text", "pdf"] }, ["text", "pdf"]],
  ] satisfies [Pick<ModelSpec, "provider" | "model" | "input">, InputKind[]][])(
    "depends on the model: %j takes %j",
    (asked, expected) => {
      expect(acceptedInput(asked)).toEqual(expected)
    },
  )
})

describe("the tokens of images and PDF files", () => {
  it("follow the rules that the providers publish, and do not count their bytes as text", () => {
    const small = [result("a", [reference("a", { width: 200, height: 200 })])]
    expect(mediaTokens(small, "anthropic")).toBe(8 * 8)
    expect(mediaTokens([result("a", [reference("a", { width: 8_000, height: 8_000 })])], "anthropic")).toBe(4_784)
    expect(mediaTokens([result("a", [reference("a", { width: 1_024, height: 1_024 })])], "openai")).toBe(1_024)
    expect(mediaTokens([result("a", [reference("a", { width: 2_048, height: 4_096 })])], "openai")).toBe(2_500)
    expect(mediaTokens([result("a", [pdf("a", 7)])], "openai")).toBe(21_000)
    const { pages: _, ...unknown } = { ...pdf("a", 1), bytes: 10_000_000 }
    expect(mediaTokens([result("a", [unknown])], "openai")).toBe(300_000)
    const large = [result("a", [reference("a", { bytes: 3_000_000, width: 200, height: 200 })])]
    expect(messageTokens(large, "anthropic") - messageTokens(small, "anthropic")).toBeLessThan(5)
  })
})

describe("a compaction", () => {
  it("replaces old images by a text, although the rest of their results is short", () => {
    const rows = [1, 2, 3].flatMap((turn) => [
      { seq: turn * 2, message: createAssistantMessage([createCallPart(`c${turn}`)]) },
      { seq: turn * 2 + 1, message: result(`c${turn}`, [reference("a", { width: 2_500, height: 2_500 })]) },
    ])
    const start: Message = { role: "user", source: "instruction", text: "Look." }
    const transcript = [{ seq: 1, message: start }, ...rows]
    const plan = planCompaction(transcript, { limit: 10_000, overhead: 0, keepTurns: 1, provider: "anthropic" })
    expect(plan).toMatchObject({ kind: "results", referenced: 5 })
    const compaction = { kind: "results", summarised: 0, referenced: 5 } as const
    const { messages } = promptView([
      ...transcript,
      { seq: 8, message: { role: "user", source: "compaction", text: "", compaction } },
    ])
    expect(idsOf(messages)).toEqual(["a"])
    expect(contentOf(messages[2])).toContain("to save context. Call Read with the same arguments to see it again.]")
  })

  it("does not invite to call again for what no model got because it does not fit, at any later time", () => {
    const start: Message = { role: "user", source: "instruction", text: "Look." }
    const transcript = [
      { seq: 1, message: start },
      { seq: 2, message: createAssistantMessage([createCallPart("c1")]) },
      { seq: 3, message: result("c1", [pdf("a", 50)]) },
    ]
    const plan = planCompaction(transcript, { limit: 100_000, overhead: 0, keepTurns: 8, provider: "anthropic" })
    expect(plan).toMatchObject({ kind: "results", referenced: 3 })
    const mark = (seq: number) => {
      const compaction = { kind: "results", summarised: 0, referenced: seq - 1 } as const
      return { seq, message: { role: "user", source: "compaction", text: "", compaction } as const }
    }
    const first = [...transcript, mark(4)]
    const note =
      "[c1: shown]\n[The PDF is not shown: it has about 150000 tokens, which is more than fits. Extract the pages that you need.]"
    expect(contentOf(promptView(first).messages[2])).toBe(note)
    const later = [...first, { seq: 5, message: createAssistantMessage([createCallPart("c2")]) }]
    expect(contentOf(promptView(later).messages[2])).toBe(note)
    const again = [...later, { seq: 6, message: result("c2", [reference("b")]) }, mark(7)]
    expect(contentOf(promptView(again).messages[2])).toBe(note)
  })
})
