import type { AssistantMessage } from "../../contracts/message.ts"
import type { RunSnapshot } from "../../contracts/run-snapshot.ts"
import { readCalls } from "../../domain/tools/arguments/read-calls.ts"
import { withNamedCalls } from "../../domain/tools/search/named-calls.ts"
import { callToolName } from "../../domain/tools/tool-names.ts"
import { redactAnswer } from "../../domain/transcript/redact-answer.ts"
import { limitCalls, withNewIds } from "../../domain/transcript/tool-calls.ts"
import type { ModelError } from "../../models/model-error.ts"
import type { AgentDependencies } from "../agent-dependencies.ts"
import type { CallModelInput } from "../contract/agent-activities.ts"
import type { CallModelResult } from "../contract/call-model-result.ts"
import { activityFence } from "../transcript/activity-fence.ts"
import { type AskingRun, askModel, type ModelQuestion, showRetry } from "./ask-model.ts"
import { createDeltaStream, type DeltaStream } from "./delta-stream.ts"
import { attemptOf, isRefusal, modelFailure } from "./model-failure.ts"
import { mediaData, suspectMedia } from "./model-media.ts"
import { mayCompact, type PlannedTurn } from "./plan-turn.ts"
import { keepPartial } from "./record-answer.ts"

/** An answer of which nothing is written yet but what was streamed. */
export interface TurnAnswer {
  readonly message: AssistantMessage
  readonly deltas: DeltaStream
}

/** `withoutMedia`: the provider refused the request, perhaps for these images and PDF files. */
export type Asked =
  | { readonly answer: TurnAnswer }
  | { readonly result: CallModelResult }
  | { readonly withoutMedia: ReadonlySet<string> }

/** Otherwise a text is a question to a person, in words. */
const resultSchemaOf = ({ outputSchema: resultSchema, pauseOnText }: RunSnapshot) =>
  resultSchema === undefined || pauseOnText ? {} : { resultSchema }

const questionOf = async (
  deps: AgentDependencies,
  input: CallModelInput,
  { snapshot, spec, view, prompt, call }: PlannedTurn,
): Promise<ModelQuestion> => {
  const { sessionId, failedAttempts = 0, unusedAnswers = 0 } = input
  return {
    spec,
    systemPrompt: prompt.systemPrompt,
    tools: prompt.tools,
    messages: view.messages,
    media: await mediaData({ store: deps.store, sessionId, spec }, view.messages),
    hidden: view.hidden,
    maxOutputTokens: call.maxOutputTokens,
    cacheKey: sessionId,
    attempt: attemptOf(failedAttempts + unusedAnswers),
    ...(input.isLast === true ? { withoutCalls: true } : resultSchemaOf(snapshot)),
  }
}

/** Returns what the turn can do after a failure. Throws the failure of the activity if that is nothing. */
const afterFailure = async (
  deps: AgentDependencies,
  input: CallModelInput,
  { turn, run, failure }: { readonly turn: PlannedTurn; readonly run: AskingRun; readonly failure: ModelError },
): Promise<Asked> => {
  const { snapshot, spec, view, withoutMedia } = turn
  if (failure.kind === "context_exceeded" && mayCompact(input, snapshot))
    return { result: { kind: "needs-compaction", isRefused: true } }
  const suspects = isRefusal(failure) ? suspectMedia(spec, view.messages) : []
  if (suspects.length > 0) return { withoutMedia: new Set([...withoutMedia, ...suspects]) }
  await showRetry(deps, run, failure)
  throw modelFailure(failure, snapshot.timing, run.failedAttempts)
}

/** Returns an answer as the transcript has it: calls with ids and arguments that can be read, and no secrets. */
const forTranscript = (
  { redact }: Pick<AgentDependencies, "redact">,
  { view, prompt }: PlannedTurn,
  reply: AssistantMessage,
): AssistantMessage => {
  const answer = withNewIds(limitCalls(reply), [...view.hidden, ...view.messages])
  const named = prompt.tools.some(({ name }) => name === callToolName) ? withNamedCalls(answer) : answer
  return redactAnswer(readCalls(named, prompt.callable), redact)
}

/** Asks the model, and shows its answer while it comes. */
export const askTurn = async (deps: AgentDependencies, input: CallModelInput, turn: PlannedTurn): Promise<Asked> => {
  const { snapshot, spec } = turn
  const { sessionId, runId, assistantSeq, failedAttempts = 0 } = input
  // Over all activities of the step: a reader drops what an earlier one wrote.
  const deltas = createDeltaStream(deps, { sessionId, runId, seq: assistantSeq, attempt: activityFence() })
  const run: AskingRun = {
    reserved: input,
    step: input.step,
    snapshot,
    failedAttempts,
    onDelta: deltas.push,
    onEnd: deltas.end,
    onStop: () => keepPartial(deps, input, { spec, text: deltas.text() }),
  }
  const reply = await askModel(deps, await questionOf(deps, input, turn), run)
  if ("failure" in reply) return await afterFailure(deps, input, { turn, run, failure: reply.failure })
  return { answer: { message: forTranscript(deps, turn, reply.message), deltas } }
}
