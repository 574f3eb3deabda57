import { isAdjutantError } from "../../contracts/adjutant-error.ts"
import type { AssistantMessage } from "../../contracts/message.ts"
import type { ModelSpec, ModelsByName } from "../../contracts/run-snapshot.ts"
import type { Environment } from "../../domain/environment.ts"
import { toolCallsOf } from "../../domain/transcript/tool-calls.ts"
import { classifyModelError } from "../../models/failure/classify-model-error.ts"
import type { ModelError } from "../../models/model-error.ts"
import type { ModelRequest, ToolSpec } from "../../models/model-provider.ts"
import { createModelProviders } from "../../models/model-registry.ts"
import { requestHeaders } from "../../models/request-headers.ts"
import { toolEnvironment } from "../../tools/tool-environment.ts"
import { requireKey } from "../replay/replay-model.ts"

/** What one question showed about a model. */
export type ProbedModel = {
  /** All names that the configuration has for it. */
  readonly names: readonly [string, ...string[]]
  readonly spec: ModelSpec
} & (
  | { readonly problem: string }
  | {
      readonly form: "stream" | "document"
      /** Whether it called the tool as it was asked to. If its server refuses requests with tools: why. */
      readonly tools: "called" | "ignored" | { readonly refused: string }
    }
)

interface ProbeSettings {
  readonly env: Environment
  readonly envAllow: readonly string[]
  readonly signal: AbortSignal
  /** How long a model can take for its answer. */
  readonly timeoutMs: number
}

const word = "ready"
const say: ToolSpec = {
  name: "say",
  description: "Says one word.",
  inputSchema: { type: "object", properties: { word: { type: "string" } }, required: ["word"] },
}
const instruction = `Call the tool ${say.name} with the word "${word}", and write nothing else. If you cannot call it, answer with that word alone.`
/** Enough for a model that thinks first. It is a limit: one word costs little. */
const maxAnswerTokens = 2_048

type Question = Pick<ModelRequest, "spec" | "apiKey" | "headers" | "signal" | "tools">

interface Answer {
  readonly message: AssistantMessage
  readonly form: "stream" | "document"
}

/** Asks once. Returns the classified failure as data. */
const ask = async (question: Question): Promise<Answer | { readonly failure: ModelError }> => {
  const { spec } = question
  let form: Answer["form"] = "stream"
  try {
    const message = await createModelProviders()[spec.provider].respond({
      ...question,
      systemPrompt: "",
      messages: [{ role: "user", source: "instruction", text: instruction }],
      maxOutputTokens: Math.min(spec.maxOutputTokens, maxAnswerTokens),
      cacheKey: "doctor",
      onDelta: () => undefined,
      onForm: (sent) => {
        form = sent
      },
    })
    return { message, form }
  } catch (error) {
    return { failure: classifyModelError(error, question) }
  }
}

type Learned = { readonly problem: string } | Omit<Extract<ProbedModel, { form: string }>, "names" | "spec">

/** Asks with a tool, and again without one if the server refuses that request. */
const askForWord = async (question: Question, timeoutMs: number): Promise<Learned> => {
  const answer = await ask(question)
  if ("message" in answer)
    return { form: answer.form, tools: toolCallsOf(answer.message).length > 0 ? "called" : "ignored" }
  const { failure } = answer
  const plain = failure.kind === "bad_request" ? await ask({ ...question, tools: [] }) : undefined
  if (plain !== undefined && "message" in plain) return { form: plain.form, tools: { refused: failure.message } }
  return { problem: failure.kind === "aborted" ? `no answer within ${timeoutMs / 1_000} s` : failure.message }
}

const probe = async (
  [name, spec]: readonly [string, ModelSpec],
  { env, envAllow, signal, timeoutMs }: ProbeSettings,
): Promise<Learned> => {
  try {
    const apiKey = await requireKey({ name, spec }, { env, toolEnv: toolEnvironment(env, envAllow) })
    const headers = requestHeaders(spec, env)
    const timed = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)])
    return await askForWord({ spec, apiKey, headers, signal: timed, tools: [say] }, timeoutMs)
  } catch (error) {
    if (isAdjutantError(error)) return { problem: error.message }
    return { problem: classifyModelError(error, { spec, apiKey: undefined }).message }
  }
}

/** Asks each model for one word, one model with several names once, and writes nothing. It costs what the providers charge for that. */
export const probeModels = async (models: ModelsByName, settings: ProbeSettings): Promise<readonly ProbedModel[]> => {
  const named = new Map<string, { readonly names: [string, ...string[]]; readonly spec: ModelSpec }>()
  for (const [name, spec] of Object.entries(models)) {
    const same = named.get(JSON.stringify(spec))
    if (same === undefined) named.set(JSON.stringify(spec), { names: [name], spec })
    else same.names.push(name)
  }
  return await Promise.all(
    [...named.values()].map(async ({ names, spec }) => ({
      names,
      spec,
      ...(await probe([names[0], spec], settings)),
    })),
  )
}
