import type { AssistantMessage, MediaReference, Message } from "../../contracts/message.ts"
import type { ModelSpec } from "../../contracts/run-snapshot.ts"
import { mediaTokens } from "../../domain/media/media-tokens.ts"
import { acceptedInput } from "../../domain/media/model-input.ts"
import { mediaKindOf } from "../../domain/media/media-type.ts"
import type { NextCall } from "../../domain/limits/prompt/next-call.ts"
import { estimateTokens } from "../../domain/limits/prompt/token-estimate.ts"

const promptTokens = (message: Message): number =>
  message.role === "assistant"
    ? message.usage.inputTokens +
      message.usage.cacheReadTokens +
      message.usage.cacheWriteTokens +
      message.usage.outputTokens
    : 0

/** The parts of a request that are tokens of the prompt. */
export interface Prompt {
  readonly systemPrompt: string
  readonly tools: readonly unknown[]
}

/** Returns the text of what comes before the messages. */
const textBefore = ({ systemPrompt, tools }: Prompt): string => systemPrompt + JSON.stringify(tools)

/** Returns the estimated tokens of what comes before the messages. */
export const tokensBefore = (prompt: Prompt): number => estimateTokens(textBefore(prompt))

/** The messages of a request. */
export interface CallMessages {
  readonly messages: readonly Message[]
  /** How many of them, at the beginning, an answer's token counts do not cover. */
  readonly uncounted?: number
}

/** The model that is asked, among those of the run. */
interface AskedModel {
  readonly spec: Pick<ModelSpec, "provider" | "model">
  readonly models: Readonly<Record<string, Pick<ModelSpec, "provider" | "model" | "input">>>
}

/** Returns the messages with only those images and PDF files that the model of an answer did not get: its provider did not count them. */
const notShownTo = (
  answer: AssistantMessage,
  messages: readonly Message[],
  { spec, models }: AskedModel,
): readonly Message[] => {
  // A cassette has the counts of what was recorded.
  if (spec.provider === "cassette") return []
  const answering = Object.values(models).filter(
    ({ provider, model }) => answer.provider === provider && answer.model === model,
  )
  const gotIt = ({ media_type }: MediaReference): boolean =>
    answering.length > 0 && answering.every((model) => acceptedInput(model).includes(mediaKindOf(media_type)))
  return messages.flatMap((message) =>
    message.role === "tool" && message.media !== undefined
      ? [{ ...message, media: message.media.filter((reference) => !gotIt(reference)) }]
      : [],
  )
}

/**
 * Returns how large the next call can be: the provider's count up to the last answer is known, the text after it is estimated, and
 * images and PDF files have the tokens that the provider publishes. Those before the last answer count, too, if its model did not get them.
 */
export const nextCallOf = (
  { messages, uncounted = 0 }: CallMessages,
  asked: AskedModel & { readonly prompt: Prompt },
  maxOutputTokens: number,
): NextCall => {
  const last = messages.findLastIndex((message, index) => index >= uncounted && promptTokens(message) > 0)
  const counted = last === -1 ? undefined : messages[last]
  const after = messages.slice(last + 1)
  const uncountedMedia = counted?.role === "assistant" ? notShownTo(counted, messages.slice(0, last), asked) : []
  const tokens = mediaTokens([...uncountedMedia, ...after], asked.spec.provider)
  const text = (counted === undefined ? textBefore(asked.prompt) : "") + JSON.stringify(after)
  return {
    prefixTokens: counted === undefined ? 0 : promptTokens(counted),
    newTokens: estimateTokens(text),
    newBytes: Buffer.byteLength(text),
    ...(tokens === 0 ? {} : { mediaTokens: tokens }),
    maxOutputTokens,
  }
}
