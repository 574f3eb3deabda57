import { setTimeout as sleep } from "node:timers/promises"
import { AdjutantError } from "../../contracts/adjutant-error.ts"
import type { ModelSpec, RunSnapshot } from "../../contracts/run-snapshot.ts"
import { mediaData } from "../../activities/model/model-media.ts"
import { createKeyCommands } from "../../config/secrets/key-commands.ts"
import type { LoadedConfig } from "../../config/loaded-config.ts"
import type { Environment } from "../../domain/environment.ts"
import { answerTokens } from "../../domain/compaction/prompt-limit.ts"
import { errorMessage } from "../../domain/text/error-message.ts"
import { resolveModelName } from "../../domain/models/model-choice.ts"
import { didYouMean } from "../../domain/text/suggest.ts"
import { apiKeyEnvOf } from "../../models/api-key-env.ts"
import { classifyModelError } from "../../models/failure/classify-model-error.ts"
import type { ModelProvider, ModelRequest } from "../../models/model-provider.ts"
import type { Store } from "../../store/store.ts"
import type { AskModel } from "./replay-run.ts"
import type { Recording, RecordedTurn } from "./read-recording.ts"

const attempts = 4
const firstWaitMs = 1_000
const longestWaitMs = 30_000

export interface ChosenModel {
  readonly name: string
  readonly spec: ModelSpec
}

/** Returns the model that gave an answer: that of the run's settings with its provider and id. */
export const recordedModel = ({ model, models }: RunSnapshot, { answer }: RecordedTurn): ChosenModel => {
  const matching = Object.keys(models).filter(
    (name) => models[name]?.provider === answer.provider && models[name].model === answer.model,
  )
  const name = matching.includes(model) ? model : (matching[0] ?? model)
  const spec = models[name]
  if (spec !== undefined) return { name, spec }
  throw new AdjutantError("model_not_found", `the settings of the run have no model ${name}: name one with --model`)
}

/** Returns the model to replay with: a named one of the configuration or of the run's settings, else the recorded one. */
export const chooseReplayModel = (
  { models, knownModels, modelById }: Pick<LoadedConfig, "models" | "knownModels" | "modelById">,
  recorded: { readonly snapshot: RunSnapshot; readonly turn: RecordedTurn },
  wanted: string | undefined,
): ChosenModel => {
  const { snapshot, turn } = recorded
  if (wanted === undefined) return recordedModel(snapshot, turn)
  for (const known of [models, snapshot.models, knownModels]) {
    const name = resolveModelName(wanted, known)
    const spec = name === undefined ? undefined : known[name]
    if (name !== undefined && spec !== undefined) return { name, spec }
  }
  const spec = modelById?.(wanted)
  if (spec !== undefined) return { name: wanted, spec }
  const names = [...new Set([...Object.keys(models), ...Object.keys(snapshot.models)])]
  throw new AdjutantError(
    "model_not_found",
    `there is no model ${wanted}${didYouMean(wanted, names)}; models: ${names.join(", ")}`,
  )
}

interface KeyPlace {
  readonly env: Environment
  /** What a program that prints a key gets. */
  readonly toolEnv: Environment
  /** What else the user can do if there is no key. */
  readonly otherwise?: string
}

/** Returns the key of a model; undefined if it needs none. @throws AdjutantError `key_missing` */
export const requireKey = async (
  { name, spec }: ChosenModel,
  { env, toolEnv, otherwise = "" }: KeyPlace,
): Promise<string | undefined> => {
  if (spec.apiKeyCommand !== undefined) {
    const key = createKeyCommands({}).keyOf(spec.apiKeyCommand, toolEnv)
    return key.catch((cause: unknown) => {
      throw new AdjutantError("key_missing", `model ${name} needs a key: ${errorMessage(cause)}`, { cause })
    })
  }
  const variable = apiKeyEnvOf(spec)
  const key = variable === undefined ? undefined : env[variable]
  if (variable !== undefined && (key === undefined || key === ""))
    throw new AdjutantError("key_missing", `model ${name} needs a key: set ${variable}${otherwise}`)
  return key
}

export interface ModelCalls {
  readonly provider: ModelProvider
  readonly spec: ModelSpec
  readonly apiKey: string | undefined
  readonly headers: ModelRequest["headers"]
  readonly recording: Recording
  readonly store: Pick<Store, "media">
  readonly signal: AbortSignal
}

/** Returns a function that calls the model, and calls it again a few times if its provider is overloaded or cannot be reached. */
export const createModelCaller =
  ({ provider, spec, apiKey, headers = {}, recording, store, signal }: ModelCalls): AskModel =>
  async ({ messages, hidden }, prompt) => {
    const media = await mediaData({ store, sessionId: recording.session.id, spec }, messages)
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await provider.respond({
          ...prompt,
          spec,
          apiKey,
          headers,
          messages,
          media,
          hidden,
          maxOutputTokens: answerTokens(spec),
          cacheKey: `replay-${recording.session.id}`,
          attempt,
          signal,
          onDelta: () => undefined,
        })
      } catch (error) {
        const failure = classifyModelError(error, { spec, apiKey, signal })
        signal.throwIfAborted()
        if (failure.kind !== "retry" || attempt === attempts) throw new AdjutantError("provider_error", failure.message)
        const waitMs = failure.retryAfterMs ?? firstWaitMs * 2 ** (attempt - 1)
        await sleep(Math.min(waitMs, longestWaitMs), undefined, { signal })
      }
    }
  }
