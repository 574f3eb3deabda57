import type { AssistantMessage } from "../../contracts/message.ts"
import { startOf } from "../../domain/text/foreign/well-formed.ts"

/** The APIs, by the word with which each says how an answer ended. */
type WireFormat = "chat" | "messages" | "responses" | "scripted"

type KnownEnd = "normal" | Exclude<AssistantMessage["stop"], "end_turn" | "tool_calls" | "unknown">

/**
 * How an answer ended, by the value that each API reports: `finish_reason` of Chat Completions, `stop_reason` of Messages, `status` of Responses with the reason
 * of an incomplete answer, `stop` of a script. Only calls of an answer with a normal end run, so a value that is missing here does not count as normal.
 */
const ends: Readonly<Record<WireFormat, Readonly<Record<string, KnownEnd>>>> = {
  chat: {
    stop: "normal",
    tool_calls: "normal",
    // The predecessor of `tool_calls`, which some servers still send.
    function_call: "normal",
    // Together's word for a stop at the model's own end mark.
    eos: "normal",
    length: "max_tokens",
    // Mistral's word for a full context.
    model_length: "context_exceeded",
    content_filter: "refusal",
  },
  messages: {
    end_turn: "normal",
    tool_use: "normal",
    stop_sequence: "normal",
    max_tokens: "max_tokens",
    pause_turn: "pause_turn",
    refusal: "refusal",
    model_context_window_exceeded: "context_exceeded",
  },
  responses: {
    completed: "normal",
    "incomplete: max_output_tokens": "max_tokens",
    "incomplete: content_filter": "refusal",
  },
  scripted: {
    end_turn: "normal",
    tool_calls: "normal",
    max_tokens: "max_tokens",
    pause_turn: "pause_turn",
    refusal: "refusal",
    context_exceeded: "context_exceeded",
  },
}

const maxWordCharacters = 100

/** The part of an assistant message that says how the answer ended. */
export type AnswerEnd = Pick<AssistantMessage, "stop" | "stop_word">

/** The words that a server uses for normal ends, besides the documented ones (`normalEnds` of the model). */
export interface OwnEnds {
  readonly normalEnds?: readonly string[] | undefined
}

const knownEnd = (format: WireFormat, word: string, { normalEnds = [] }: OwnEnds): KnownEnd | undefined => {
  const known = ends[format]
  if (Object.hasOwn(known, word)) return known[word]
  return normalEnds.includes(word) ? "normal" : undefined
}

/** Returns whether an answer that ended with a word may use its calls. */
export const isNormalWord = (format: WireFormat, word: string, own: OwnEnds): boolean =>
  knownEnd(format, word, own) === "normal"

/** Returns how an answer ended. `isRefused`: a part of the answer says that the model refuses, whatever the word. */
export const toAnswerEnd = (
  format: WireFormat,
  word: string,
  answer: OwnEnds & { readonly hasCalls: boolean; readonly isRefused?: boolean },
): AnswerEnd => {
  const end = knownEnd(format, word, answer)
  if (answer.isRefused === true && (end === "normal" || end === undefined)) return { stop: "refusal" }
  if (end === undefined) return { stop: "unknown", stop_word: startOf(word, maxWordCharacters) }
  if (end !== "normal") return { stop: end }
  return { stop: answer.hasCalls ? "tool_calls" : "end_turn" }
}
