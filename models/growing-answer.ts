import type { AssistantMessage } from "../contracts/message.ts"
import { ModelError } from "./model-error.ts"
import type { ModelRequest } from "./model-provider.ts"
import { nextTurnNumber } from "./transcript-turns.ts"
import type { WireTools } from "./wire-tools.ts"

/** The content of a provider's answer in neutral form. */
export type AnswerContent = Pick<AssistantMessage, "parts" | "usage" | "stop">

/** An answer that is assembled from the events of a stream. */
export interface GrowingAnswer<Event> {
  add(event: Event): void
  /** Returns the complete answer. Throws a retryable `ModelError` if the stream ended before the answer. */
  finish(turn: number, fromWireName: (name: string) => string): AnswerContent
}

/** Reads a stream to its end and returns the answer as a transcript message. */
export const readAnswer = async <Event>(
  stream: AsyncIterable<Event>,
  answer: GrowingAnswer<Event>,
  { request, wireTools }: { readonly request: ModelRequest; readonly wireTools: WireTools },
): Promise<AssistantMessage> => {
  for await (const event of stream) answer.add(event)
  // An aborted stream ends like a complete one.
  if (request.signal.aborted) throw new ModelError("aborted", "the model call was aborted")
  const { provider, model } = request.spec
  const content = answer.finish(nextTurnNumber([...(request.hidden ?? []), ...request.messages]), wireTools.fromWire)
  return { role: "assistant", provider, model, ...content }
}
