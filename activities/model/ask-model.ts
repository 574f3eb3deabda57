import { CancelledFailure } from "@temporalio/activity"
import type { AssistantMessage } from "../../contracts/message.ts"
import type { ModelSpec, RunSnapshot } from "../../contracts/run-snapshot.ts"
import { costMicroUsd } from "../../domain/limits/usage-cost.ts"
import { ModelError } from "../../models/model-error.ts"
import { errorMessage } from "../../domain/text/error-message.ts"
import type { ModelRequest } from "../../models/model-provider.ts"
import type { AgentDependencies } from "../agent-dependencies.ts"
import { isRunStopped } from "../followed-calls.ts"
import { callSignal } from "../running-calls.ts"
import { modelRetry } from "./model-failure.ts"
import { settleAnswer, settleFailure, whileCalling } from "../limits/provider-rate.ts"
import { type Reserved, releaseCall } from "../limits/reserve-call.ts"

export type ModelQuestion = Omit<ModelRequest, "onDelta" | "signal" | "apiKey" | "headers">

/** The run for which a model is asked, and where its answer is shown while it comes. */
export interface AskingRun {
  /** Of the reservation, which is released if there is no answer. */
  readonly reserved: Reserved
  /** The step that the events of a failure name. */
  readonly step: number
  readonly snapshot: RunSnapshot
  /** Attempts of the call that failed in earlier activities. */
  readonly failedAttempts?: number
  readonly onDelta: ModelRequest["onDelta"]
  /** Called before the failure is reported. */
  readonly onEnd?: () => Promise<void>
  /** Called if the run is cancelled in mid-answer. */
  readonly onStop?: () => Promise<void>
}

/** A model's answer, or the classified error without one. */
export type ModelReply = { readonly message: AssistantMessage } | { readonly failure: ModelError }

/** Returns the key of a model, from its variable or its program; undefined if it has none. */
const modelApiKey = async (
  { apiKeyEnvOf, env, keyCommands, toolEnv }: AgentDependencies,
  spec: ModelSpec,
  { envAllow }: RunSnapshot,
): Promise<string | undefined> => {
  const { apiKeyCommand } = spec
  if (apiKeyCommand === undefined) {
    const name = apiKeyEnvOf(spec)
    if (name !== undefined && name === spec.apiKeyEnv && !env[name])
      throw new ModelError("auth", `no API key for ${spec.provider}: set ${name} for the worker`, { missingKey: name })
    return name === undefined ? undefined : env[name]
  }
  try {
    return await keyCommands.keyOf(apiKeyCommand, toolEnv(envAllow))
  } catch (error) {
    throw new ModelError("auth", errorMessage(error))
  }
}

/** Begins the limit of one attempt, by a clock that stops while the machine sleeps. */
const timeLimit = ({ modelTimeoutMs }: RunSnapshot["timing"]) => {
  const controller = new AbortController()
  const text = `no complete answer within ${modelTimeoutMs / 1_000} s: raise timing.modelTimeoutMs`
  const timer = setTimeout(() => controller.abort(new ModelError("retry", text)), modelTimeoutMs)
  return { signal: controller.signal, end: () => clearTimeout(timer) }
}

/** Begins to measure a call. Returns what counts its end. */
const meterOf = ({ metrics }: AgentDependencies, { model, price }: ModelSpec) => {
  const startMs = performance.now()
  return (outcome: string, usage?: AssistantMessage["usage"]): void =>
    metrics?.modelCalled({
      ...{ model, outcome, seconds: (performance.now() - startMs) / 1_000 },
      ...(usage === undefined ? {} : { usage, costMicroUsd: costMicroUsd(usage, price) }),
    })
}

/** Asks a model. Returns the provider's failure as data; throws only if the call was cancelled. */
export const askModel = async (
  deps: AgentDependencies,
  request: ModelQuestion,
  { reserved, snapshot, onDelta, onEnd, onStop }: AskingRun,
): Promise<ModelReply> => {
  const { spec } = request
  let apiKey: string | undefined
  const signal = callSignal()
  const limit = timeLimit(snapshot.timing)
  const work = async () => {
    apiKey = await modelApiKey(deps, spec, snapshot)
    const headers = deps.requestHeaders(spec, deps.env)
    return await deps.providers[spec.provider].respond({
      ...request,
      apiKey,
      headers,
      signal: AbortSignal.any([signal, limit.signal]),
      onDelta,
    })
  }
  const count = meterOf(deps, spec)
  let message: AssistantMessage
  try {
    message = await whileCalling(deps, reserved, { spec, work })
  } catch (thrown) {
    const error = limit.signal.aborted ? limit.signal.reason : thrown
    const failure = deps.classifyModelError(error, { spec, apiKey, signal, tools: request.tools })
    if (failure.kind === "auth" && spec.apiKeyCommand !== undefined) deps.keyCommands.forget(spec.apiKeyCommand)
    count(signal.aborted ? "cancelled" : failure.kind)
    await onEnd?.()
    await settleFailure(deps, reserved, { spec, failure, snapshot })
    // A call that is stopped for another reason is tried again, perhaps elsewhere already: its next attempt replaces the reservation.
    if (!signal.aborted || isRunStopped()) await releaseCall(deps, reserved)
    if (signal.aborted) {
      // Stopped for any other reason the call is tried again, and half an answer must not pass for a whole one.
      if (isRunStopped()) await onStop?.()
      throw new CancelledFailure("the model call was cancelled")
    }
    return { failure }
  } finally {
    limit.end()
  }
  count("ok", message.usage)
  await settleAnswer(deps, reserved, { spec, usage: message.usage })
  return { message }
}

/** Shows that the call failed and when it is made again. */
export const showRetry = async (
  { streamed }: AgentDependencies,
  { reserved: { sessionId, runId }, step, snapshot, failedAttempts }: AskingRun,
  failure: ModelError,
): Promise<void> => {
  const data = modelRetry(failure, snapshot.timing, failedAttempts)
  if (data === undefined) return
  streamed.add(sessionId, { type: "model-retry", runId, data: { step, ...data } })
  await streamed.flush(sessionId)
}
