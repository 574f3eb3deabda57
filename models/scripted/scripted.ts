import { setTimeout as sleep } from "node:timers/promises"
import { AdjutantError } from "../../contracts/adjutant-error.ts"
import type { AssistantMessage, AssistantPart } from "../../contracts/message.ts"
import { createAnswersReader } from "../answers-file.ts"
import { estimateTokens } from "../../domain/limits/prompt/token-estimate.ts"
import type { ModelDelta, ModelProvider, ModelRequest } from "../model-provider.ts"
import { type AnswerEnd, isNormalWord, toAnswerEnd } from "../answer/answer-end.ts"
import { parseScript, type Script } from "./parse-script.ts"
import { parseToolCalls } from "../answer/parse-tool-arguments.ts"
import type { ScriptedReply } from "./script-schema.ts"
import { fillTemplate, fillTemplates, TemplateMismatch } from "./script-template.ts"
import { scriptMismatch, pickTurn, type PickedTurn } from "./script-turn.ts"

/** A scripted failure in the shape of the SDKs' errors, so that it is classified like a real one. */
class ScriptedError extends Error {
  readonly status: number | undefined
  readonly headers: Headers
  readonly code: string | undefined

  constructor({ status, retry_after, message }: NonNullable<ScriptedReply["error"]>) {
    super(message ?? `scripted failure ${status}`)
    this.name = "ScriptedError"
    this.status = status === "connection" ? undefined : status
    this.code = status === "connection" ? "ECONNRESET" : undefined
    this.headers = new Headers(retry_after === undefined ? {} : { "retry-after": String(retry_after) })
  }
}

/** The provider that plays a written conversation offline. docs/scripted-models.md describes the file. */
export const scriptedProvider: ModelProvider = {
  async respond(request) {
    const turn = pickTurn(await loadScript(request.spec.script), request)
    const { reply } = turn
    const parts = fillParts(turn, request)
    if (reply.delay_ms) await sleep(reply.delay_ms, undefined, { signal: request.signal })
    request.signal.throwIfAborted()
    if (reply.error && (request.attempt ?? 1) <= (reply.error.times ?? Number.POSITIVE_INFINITY))
      throw new ScriptedError(reply.error)
    await stream(parts, reply, request)
    const { provider, model } = request.spec
    return { role: "assistant", provider, model, parts, usage: toUsage(reply, parts, request), ...toEnd(reply) }
  },
}

const wordOf = ({ stop }: ScriptedReply): string => stop ?? "end_turn"

const toEnd = (reply: ScriptedReply): AnswerEnd =>
  toAnswerEnd("scripted", wordOf(reply), { hasCalls: (reply.tool_calls ?? []).length > 0 })

/** Far more than anybody writes. */
const maxScriptBytes = 64 * 1024 * 1024

const readScript = createAnswersReader(maxScriptBytes, parseScript)

/** Returns a parsed script. A file is parsed once per version. */
const loadScript = async (file: string | undefined): Promise<Script> => {
  if (file === undefined)
    throw new AdjutantError("invalid_config", "a scripted model requires script, the path of its conversation")
  const found = await readScript(file)
  if (found.kind === "refused")
    throw new AdjutantError("invalid_config", `the script ${file} cannot be used: ${found.problem}; check the path`, {
      cause: found.cause,
    })
  return found.content
}

const fillParts = ({ reply, number, label }: PickedTurn, { messages }: ModelRequest): AssistantPart[] => {
  try {
    const calls = (reply.tool_calls ?? []).map((call) => ({
      id: call.id,
      name: call.name,
      rawArguments:
        typeof call.arguments === "string"
          ? fillTemplate(call.arguments, messages)
          : JSON.stringify(fillTemplates(call.arguments, messages)),
    }))
    return [
      ...(reply.reasoning ? [{ type: "reasoning" as const, text: fillTemplate(reply.reasoning, messages) }] : []),
      ...(reply.text ? [{ type: "text" as const, text: fillTemplate(reply.text, messages) }] : []),
      ...parseToolCalls(calls, number, isNormalWord("scripted", wordOf(reply), {})).map((call) => ({
        type: "tool_call" as const,
        call,
      })),
    ]
  } catch (error) {
    if (error instanceof TemplateMismatch) throw scriptMismatch(label, error.message)
    throw error
  }
}

const stream = async (
  parts: readonly AssistantPart[],
  { stream_chunk, chunk_delay_ms }: ScriptedReply,
  { onDelta, signal }: ModelRequest,
): Promise<void> => {
  for (const part of parts) {
    if (part.type !== "text" && part.type !== "reasoning") continue
    for (const text of cutUp(part.text, stream_chunk ?? part.text.length)) {
      if (chunk_delay_ms) await sleep(chunk_delay_ms, undefined, { signal })
      signal.throwIfAborted()
      onDelta({ type: part.type, text } satisfies ModelDelta)
    }
  }
}

/** Splits a text into pieces of `size` characters, without splitting surrogate pairs. */
const cutUp = (text: string, size: number): string[] => {
  const characters = Array.from(text)
  return Array.from({ length: Math.ceil(characters.length / size) }, (_, index) =>
    characters.slice(index * size, (index + 1) * size).join(""),
  )
}

/** Returns the usage of the script. Missing numbers are estimated from the lengths, so that budgets can be tried without writing numbers. */
const toUsage = (
  { usage }: ScriptedReply,
  parts: readonly AssistantPart[],
  request: ModelRequest,
): AssistantMessage["usage"] => {
  return {
    inputTokens: usage?.input_tokens ?? estimate([request.systemPrompt, request.messages]),
    outputTokens: usage?.output_tokens ?? estimate(parts),
    cacheReadTokens: usage?.cache_read_tokens ?? 0,
    cacheWriteTokens: usage?.cache_write_tokens ?? 0,
    reasoningTokens: usage?.reasoning_tokens ?? 0,
  }
}

const estimate = (value: unknown): number => estimateTokens(JSON.stringify(value))
