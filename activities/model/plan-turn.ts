import type { ModelSpec, RunSnapshot } from "../../contracts/run-snapshot.ts"
import { answerTokens, promptLimit } from "../../domain/compaction/prompt-limit.ts"
import type { PromptView } from "../../domain/compaction/prompt-view.ts"
import { allowedModel } from "../../domain/models/allowed-model.ts"
import { estimatedPrompt, type NextCall } from "../../domain/limits/prompt/next-call.ts"
import { affordableCall, unaffordableText } from "../../domain/limits/usage-cost.ts"
import type { UsageTotals } from "../../domain/limits/usage-totals.ts"
import type { AgentDependencies } from "../agent-dependencies.ts"
import type { CallModelInput } from "../contract/agent-activities.ts"
import type { CallModelResult } from "../contract/call-model-result.ts"
import { turnUsage } from "../limits/turn-usage.ts"
import { modelView } from "./model-media.ts"
import { type PromptSession, promptOf, type RunPrompt, modelSpecOf } from "./model-prompt.ts"
import { nextCallOf } from "./next-call.ts"

export interface TurnStart {
  readonly snapshot: RunSnapshot
  readonly session: PromptSession | undefined
  /** The images and PDF files with which the provider refused the same turn. */
  readonly withoutMedia: ReadonlySet<string>
}

/** A model call that can be made: what its request contains, and how large it can become. */
export interface PlannedTurn extends TurnStart {
  readonly spec: ModelSpec
  readonly view: PromptView
  readonly prompt: RunPrompt
  readonly call: NextCall
}

/** More compactions without an answer in between would not help. */
const maxCompactions = 3

/** Returns whether the workflow can shorten the conversation instead of a call that does not fit. */
export const mayCompact = ({ compactions }: CallModelInput, snapshot: RunSnapshot): boolean =>
  compactions < maxCompactions && snapshot.compaction.enabled

/** Returns what all attempts of the step have used. */
export const stepUsage = async ({ store }: AgentDependencies, input: CallModelInput): Promise<UsageTotals> =>
  turnUsage(await store.usage.total({ sessionId: input.sessionId, runId: input.runId, step: input.step }))

const readTurn = async (
  deps: AgentDependencies,
  input: CallModelInput,
  { snapshot, session, withoutMedia }: TurnStart,
): Promise<PlannedTurn> => {
  const spec = modelSpecOf(snapshot, allowedModel(snapshot, input.model))
  const { store } = deps
  const rows = await store.messages.read(input.sessionId, { headSeq: input.assistantSeq - 1 })
  const view = await modelView({ store, sessionId: input.sessionId, spec, withoutMedia }, rows)
  const prompt = await promptOf(deps, input, { snapshot, session })
  const call = nextCallOf(view, { spec, models: snapshot.models, prompt }, answerTokens(spec))
  return { snapshot, session, spec, view, prompt, call, withoutMedia }
}

const fits = ({ snapshot, spec, call }: PlannedTurn): boolean => {
  const limit = promptLimit(spec, snapshot.compaction)
  return limit === undefined || estimatedPrompt(call) <= limit
}

/** Reads the conversation for the model. Returns why the call is not made if it does not fit into the model's context or into the budget. */
export const planTurn = async (
  deps: AgentDependencies,
  input: CallModelInput,
  start: TurnStart,
): Promise<{ readonly turn: PlannedTurn } | { readonly result: CallModelResult }> => {
  const turn = await readTurn(deps, input, start)
  const { snapshot, spec } = turn
  if (mayCompact(input, snapshot) && !fits(turn)) return { result: { kind: "needs-compaction", isRefused: false } }
  const call = affordableCall(turn.call, spec.price, input.budget)
  if (call !== undefined) return { turn: { ...turn, call } }
  const reason = unaffordableText(turn.call, spec.price, input.budget)
  return { result: { kind: "budget-exhausted", usage: await stepUsage(deps, input), reason } }
}
