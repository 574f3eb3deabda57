import { toolEnvironment } from "../../tools/tool-environment.ts"
import { AdjutantError } from "../../contracts/adjutant-error.ts"
import type { LoadedConfig } from "../../config/loaded-config.ts"
import type { Environment } from "../../domain/environment.ts"
import { microUsdOf } from "../../domain/limits/usage-cost.ts"
import { costMicroUsd, type Remaining } from "../../domain/limits/usage-cost.ts"
import { addUsage, noUsage, toUsage } from "../../domain/limits/usage-totals.ts"
import { compareRuns, type PlayedRun } from "../../domain/replay/compare-runs.ts"
import { toolCallsOf } from "../../domain/transcript/tool-calls.ts"
import { createModelProviders } from "../../models/model-registry.ts"
import { requestHeaders } from "../../models/request-headers.ts"
import { modelView } from "../../activities/model/model-media.ts"
import type { RunRow, Store } from "../../store/store.ts"
import { readRecording, type RecordedTurn, type Recording } from "./read-recording.ts"
import { recordedPrompt } from "./recorded-prompt.ts"
import { chooseReplayModel, type ChosenModel, createModelCaller, recordedModel, requireKey } from "./replay-model.ts"
import { playedCall, type Replayed, replayRun, turnsFrom } from "./replay-run.ts"

const defaultBudgetUsd = 5
const defaultBudgetTokens = 1_000_000

export interface ReplayRequest {
  readonly sessionId: string
  /** The first step whose model call is made again, counted over all runs; default: the first of the latest run. */
  readonly fromStep?: number
  /** Default: the recorded one. */
  readonly model?: string
  /** Default: 5 US dollars, or a million tokens of a model without a price. */
  readonly budgetUsd?: number
  readonly budgetTokens?: number
}

export interface ReplayPlace {
  readonly store: Pick<Store, "sessions" | "runs" | "snapshots" | "messages" | "media">
  readonly loaded: Pick<LoadedConfig, "models" | "knownModels" | "modelById">
  readonly env: Environment
  readonly signal: AbortSignal
}

export interface ReplayReport extends ReturnType<typeof compareRuns> {
  readonly sessionId: string
  readonly runId: string
  readonly fromStep: number
  readonly recorded: PlayedRun
  readonly replayed: PlayedRun
  readonly unrecorded: Replayed["unrecorded"]
}

/** Returns the turn of a step. @throws AdjutantError `invalid_argument` if there is none */
const turnOf = ({ turns, session }: Recording, step: number | undefined): RecordedTurn => {
  const last = turns.at(-1)
  const turn =
    step === undefined ? turns.find(({ runId }) => runId === last?.runId) : turns.find((each) => each.step === step)
  if (turn !== undefined) return turn
  throw new AdjutantError(
    "invalid_argument",
    `task ${session.id} has no step ${step ?? 1}: choose one from 1 to ${turns.length}`,
  )
}

const capsOf = ({ budgetUsd, budgetTokens }: ReplayRequest, { name, spec }: ChosenModel): Remaining => {
  if (spec.price === null && budgetUsd !== undefined)
    throw new AdjutantError(
      "price_unknown",
      `the price of model ${name} is unknown: add it to prices, or set a budget in tokens instead`,
    )
  const usd = budgetUsd ?? (budgetTokens === undefined && spec.price !== null ? defaultBudgetUsd : undefined)
  return {
    microUsd: usd === undefined ? null : microUsdOf(usd),
    tokens: budgetTokens ?? (usd === undefined ? defaultBudgetTokens : null),
  }
}

/** Returns the recorded run from a turn on. */
const recordedRun = (
  recording: Recording,
  from: RecordedTurn,
  { run, model }: { readonly run: RunRow | undefined; readonly model: ChosenModel },
): PlayedRun => {
  const turns = turnsFrom(recording, from)
  const usage = turns.reduce(
    (sum, { answer }) => addUsage(sum, { ...answer.usage, costMicroUsd: costMicroUsd(answer.usage, model.spec.price) }),
    noUsage,
  )
  return {
    model: model.name,
    steps: turns.length,
    calls: turns.flatMap(({ answer, step }) => toolCallsOf(answer).map((call) => playedCall(call, step))),
    usage: toUsage(usage),
    end: run?.stopReason ?? (run?.status === "paused" ? "paused" : "open"),
    finalMessage: run?.finalMessage ?? null,
  }
}

/**
 * Replays a session from a step on, and compares the calls, the cost and the outcome with what was recorded. Tool results come from the recording:
 * nothing is executed, and nothing is written.
 * @throws AdjutantError `key_missing`, `model_not_found`, `price_unknown`, `invalid_argument` before any call; `provider_error`
 */
export const replaySession = async (place: ReplayPlace, request: ReplayRequest): Promise<ReplayReport> => {
  const recording = await readRecording(place.store, request.sessionId)
  const from = turnOf(recording, request.fromStep)
  const snapshot = recording.settingsOf(from.runId)
  const model = chooseReplayModel(place.loaded, { snapshot, turn: from }, request.model)
  const apiKey = await requireKey(model, {
    env: place.env,
    toolEnv: toolEnvironment(place.env, snapshot.envAllow),
    otherwise: ", or name another model with --model",
  })
  const caps = capsOf(request, model)
  const { spec } = model
  const { store, signal } = place
  const provider = createModelProviders()[spec.provider]
  const { run: replayed, unrecorded } = await replayRun(recording, {
    model: model.name,
    spec,
    snapshot,
    prompt: recordedPrompt(recording, snapshot),
    from,
    caps,
    ask: createModelCaller({
      provider,
      spec,
      apiKey,
      headers: requestHeaders(spec, place.env),
      recording,
      store,
      signal,
    }),
    viewOf: (rows) => modelView({ store, sessionId: recording.session.id, spec }, rows),
  })
  const run = await place.store.runs.get(from.runId)
  const recorded = recordedRun(recording, from, { run, model: recordedModel(snapshot, from) })
  return {
    sessionId: request.sessionId,
    runId: from.runId,
    fromStep: from.step,
    recorded,
    replayed,
    unrecorded,
    ...compareRuns(recorded, replayed),
  }
}
