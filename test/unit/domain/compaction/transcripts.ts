import fc from "fast-check"
import type { Message } from "../../../../contracts/message.ts"
import type { PromptRow } from "../../../../domain/compaction/prompt-view.ts"

const usage = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, reasoningTokens: 0 }

/** Returns an answer with one call for each name. The ids contain the turn. */
export const answer = (turn: number, ...calls: readonly string[]): Message => ({
  role: "assistant",
  provider: "scripted",
  model: "fake",
  parts: [
    { type: "text", text: `turn ${turn}` },
    ...calls.map((name, index) => ({
      type: "tool_call" as const,
      call: { id: `call_${turn}_${index}`, name, arguments: { at: turn } },
    })),
  ],
  usage,
  stop: calls.length > 0 ? "tool_calls" : "end_turn",
})

export const result = (turn: number, index: number, name: string, content: string): Message => ({
  role: "tool",
  call_id: `call_${turn}_${index}`,
  name,
  outcome: "ok",
  content,
})

export const user = (text: string): Message => ({ role: "user", source: "instruction", text })

export const toRows = (messages: readonly Message[]): readonly PromptRow[] =>
  messages.map((message, index) => ({ seq: index + 1, message }))

/** Any transcript that is complete: each call has its result. */
export const transcripts = fc
  .array(
    fc.record({
      results: fc.array(fc.tuple(fc.constantFrom("Read", "Bash"), fc.integer({ min: 0, max: 8_000 })), {
        maxLength: 4,
      }),
      text: fc.option(fc.integer({ min: 1, max: 300 })),
    }),
    { minLength: 1, maxLength: 40 },
  )
  .map((turns) =>
    toRows([
      user("Do the first thing."),
      ...turns.flatMap(({ results, text }, turn) => [
        answer(turn, ...results.map(([name]) => name)),
        ...results.map(([name, length], index) => result(turn, index, name, "x".repeat(length))),
        ...(text === null ? [] : [user("y".repeat(text))]),
      ]),
    ]),
  )
