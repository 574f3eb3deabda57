import type { AssistantMessage, AssistantPart } from "../../contracts/message.ts"
import { isNormalEnd } from "../../domain/run/answer-end.ts"
import { breaksOff } from "../../domain/text/json/parse-json.ts"
import { ModelError } from "../model-error.ts"
import type { ModelRequest } from "../model-provider.ts"
import { type AnswerEvents, readServerEvents } from "./read-server-events.ts"
import { nextTurnNumber } from "../wire/transcript-turns.ts"
import type { TranslateCall, WireTools } from "../wire/wire-tools.ts"

/** The content of a provider's answer in neutral form. */
export type AnswerContent = Pick<AssistantMessage, "parts" | "usage" | "stop">

/** An answer that is assembled from the events of a stream. */
export interface GrowingAnswer {
  add(event: unknown): void
  /** Returns the complete answer. Throws a retryable `ModelError` if the stream ended before the answer. */
  finish(turn: number, fromWire: TranslateCall): AnswerContent
}

/** Reads an answer to its end and returns it as a transcript message. */
export const readAnswer = async (
  response: Response,
  answer: GrowingAnswer,
  { request, wireTools }: { readonly request: ModelRequest; readonly wireTools: WireTools },
): Promise<AssistantMessage> => {
  const events = readServerEvents(response)
  for await (const event of events) answer.add(event)
  // An aborted stream ends like a complete one.
  if (request.signal.aborted) throw new ModelError("aborted", "the model call was aborted")
  const { provider, model } = request.spec
  const turn = nextTurnNumber([...(request.hidden ?? []), ...request.messages])
  const content = finished(events, () => answer.finish(turn, wireTools.fromWire))
  request.onForm?.(events.isDocument ? "document" : "stream")
  return { role: "assistant", provider, model, ...content, ...cutEnd(content, request) }
}

/** Returns the end of an answer that reached its limit in mid-call, whatever end its server reported. */
const cutEnd = (content: AnswerContent, { maxOutputTokens }: ModelRequest): Pick<AnswerContent, "stop"> | undefined =>
  isNormalEnd(content.stop) && content.usage.outputTokens >= maxOutputTokens && content.parts.some(isCutCall)
    ? { stop: "max_tokens" }
    : undefined

const isCutCall = (part: AssistantPart): boolean =>
  part.type === "tool_call" && part.call.arguments === null && breaksOff(part.call.raw_arguments ?? "")

/** A document that lacks the end of an answer was sent whole: asking again would not complete it. */
const finished = ({ isDocument }: AnswerEvents, finish: () => AnswerContent): AnswerContent => {
  try {
    return finish()
  } catch (error) {
    if (!isDocument || !(error instanceof ModelError) || error.kind !== "retry") throw error
    throw new ModelError(
      "bad_request",
      `the server answered with JSON that is no answer; check baseUrl: ${error.message}`,
    )
  }
}
