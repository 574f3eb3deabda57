import { ModelError } from "../../../models/model-error.ts"
import type { ModelProvider, ModelRequest } from "../../../models/model-provider.ts"
import { countTurn, createAssistantReply, type FakeReply } from "./fake-model.ts"

export interface WindowedModel {
  readonly model: ModelProvider
  /** The requests that it answered, in order: for turns, and for summaries. */
  readonly turns: ModelRequest[]
  readonly summaries: ModelRequest[]
  /** How many requests it refused as too long. */
  refused: number
}

interface WindowedOptions {
  /** Tokens of prompt and answer that the model accepts; it refuses longer requests. */
  readonly windowTokens: number
  readonly respond: (request: ModelRequest, turn: number) => FakeReply
  /** Called before a summary is written. */
  readonly summarise?: (request: ModelRequest) => string | Promise<string>
}

/** As real models have them for English. */
const charactersPerToken = 4

export const promptTokens = ({ systemPrompt, tools, messages }: ModelRequest): number =>
  Math.ceil(JSON.stringify([systemPrompt, tools, messages]).length / charactersPerToken)

/** Returns a model with a small context, which counts tokens and refuses what does not fit, as providers do. */
export const createWindowedModel = ({ windowTokens, respond, summarise }: WindowedOptions): WindowedModel => {
  const turns: ModelRequest[] = []
  const summaries: ModelRequest[] = []
  const windowed: WindowedModel = {
    turns,
    summaries,
    refused: 0,
    model: {
      async respond(request) {
        const tokens = promptTokens(request)
        if (tokens + request.maxOutputTokens > windowTokens) {
          windowed.refused += 1
          throw new ModelError("context_exceeded", `prompt is too long: ${tokens} tokens > ${windowTokens} maximum`)
        }
        const isSummary = request.purpose === "summary"
        const turn = countTurn(request)
        const reply = isSummary
          ? { text: (await summarise?.(request)) ?? "The places so far were empty." }
          : respond(request, turn)
        // Without the rows that a summary replaces: with them, a long session would fill the memory.
        ;(isSummary ? summaries : turns).push({ ...request, hidden: [] })
        const message = createAssistantReply(reply, turn)
        return { ...message, usage: { ...message.usage, inputTokens: tokens, outputTokens: 20 } }
      },
    },
  }
  return windowed
}
