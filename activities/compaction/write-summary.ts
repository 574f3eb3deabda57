import type { CallModelResult } from "../contract/call-model-result.ts"
import { activityInfo } from "@temporalio/activity"
import type { AssistantMessage, Message } from "../../contracts/message.ts"
import type { RunSnapshot } from "../../contracts/run-snapshot.ts"
import { answerTokens, bytesOfTokens } from "../../domain/compaction/prompt-limit.ts"
import { summariserPrompt, summaryRequest } from "../../domain/compaction/summary-request.ts"
import { hasUsdCap } from "../../domain/limits/daily-limits.ts"
import { affordableCall, unaffordableText } from "../../domain/limits/usage-cost.ts"
import { redactAnswer } from "../../domain/transcript/redact-answer.ts"
import { answerText } from "../../domain/transcript/last-text.ts"
import { ModelError } from "../../models/model-error.ts"
import type { AgentDependencies } from "../agent-dependencies.ts"
import type { CompactInput } from "../contract/agent-activities.ts"
import { type AskingRun, askModel, type ModelQuestion, showRetry } from "../model/ask-model.ts"
import { modelFailure } from "../model/model-failure.ts"
import { mediaData, whileLoaded } from "../model/model-media.ts"
import type { ModelPrompt } from "../model/model-prompt.ts"
import { nextCallOf } from "../model/next-call.ts"
import { reserveCall } from "../limits/reserve-call.ts"
import { type NamedSpec, summaryModels } from "./summary-models.ts"

/** What is summarised, and how long the summary may be. */
export interface SummaryTask {
  readonly snapshot: RunSnapshot
  /** The model that the conversation is with. */
  readonly own: NamedSpec
  /** What a model gets of the part that is summarised, with the summary before at its beginning. */
  readonly messages: readonly Message[]
  /** System prompt and tools of the conversation. */
  readonly prompt: ModelPrompt
  /** The whole conversation, which only scripted models look at. */
  readonly hidden: readonly Message[]
  readonly summaryTokens: number
}

export type WrittenSummary =
  | { readonly kind: "written"; readonly message: AssistantMessage; readonly model: NamedSpec; readonly text: string }
  | { readonly kind: "budget-exhausted"; readonly reason?: string }
  | Extract<CallModelResult, { kind: "rate-limited" }>

/** The longest text that is sent for one summary, in bytes. A longer one costs more and hardly makes the summary better. */
const longestRequest = 600_000
/** How often the text is halved if the provider refuses it as too long. */
const maxHalvings = 4
/** The smallest limit of an answer: some models think before they write, and both count. */
const leastAnswerTokens = 2_048

/** Returns the step under which the ledger counts a compaction. It is negative, so it is never that of a model turn. */
export const compactionStep = (seq: number): number => -seq

const requestBytes = ({ spec }: NamedSpec): number =>
  spec.contextTokens === undefined
    ? longestRequest
    : Math.min(longestRequest, bytesOfTokens(spec.contextTokens - answerTokens(spec)) - summariserPrompt.length)

/** Returns whether another model may succeed where this one failed. */
const isOfThisModel = ({ kind }: ModelError): boolean => kind !== "retry" && kind !== "aborted"

/** One way to get a summary: a model, and what it is sent. */
interface Way {
  readonly model: NamedSpec
  readonly question: Pick<ModelQuestion, "systemPrompt" | "tools" | "messages" | "cacheKey"> & {
    readonly purpose: "compaction" | "summary"
  }
}

/** The provider's own way: it summarises the conversation that it has in its cache. */
const ownWay = ({ sessionId }: CompactInput, { own, prompt, messages }: SummaryTask): Way => ({
  model: own,
  question: { ...prompt, messages, cacheKey: sessionId, purpose: "compaction" },
})

/** The way for any model: it is given the conversation as a text. */
const textWay = (
  { redact }: AgentDependencies,
  { sessionId }: CompactInput,
  { task, model, maxBytes }: { readonly task: SummaryTask; readonly model: NamedSpec; readonly maxBytes: number },
): Way => {
  const text = redact(summaryRequest(task.messages, maxBytes))
  return {
    model,
    question: {
      systemPrompt: summariserPrompt,
      tools: [],
      messages: [{ role: "user", source: "notice", text }],
      cacheKey: `${sessionId}-summary`,
      purpose: "summary",
    },
  }
}

/** Asks for the summary. Returns the provider's failure if another model may succeed; throws any other. */
const askFor = async (
  deps: AgentDependencies,
  input: CompactInput,
  { task, way }: { readonly task: SummaryTask; readonly way: Way },
): Promise<WrittenSummary | ModelError> => {
  const { model, question } = way
  const { spec } = model
  const { snapshot, hidden, summaryTokens } = task
  const longest = Math.min(answerTokens(spec), Math.max(leastAnswerTokens, summaryTokens))
  const wanted = nextCallOf(question, { spec, models: snapshot.models, prompt: question }, longest)
  const call = affordableCall(wanted, spec.price, input.budget)
  if (call === undefined)
    return { kind: "budget-exhausted", reason: unaffordableText(wanted, spec.price, input.budget) }
  const { maxOutputTokens } = call
  const reserved = { sessionId: input.sessionId, runId: input.runId, step: compactionStep(input.seq) }
  const waiting = { ...reserved, waitsSince: input.waitsSince ?? null, failedAttempts: 0 }
  const unreserved = await reserveCall(deps, waiting, { call, spec, shownStep: input.step })
  if (unreserved !== undefined) return unreserved
  const { attempt } = activityInfo()
  const run: AskingRun = { reserved, step: input.step, snapshot, onDelta: () => undefined }
  const media = await mediaData({ store: deps.store, sessionId: input.sessionId, spec }, question.messages)
  const reply = await askModel(deps, { ...question, media, spec, hidden, maxOutputTokens, attempt }, run)
  if ("failure" in reply) {
    if (isOfThisModel(reply.failure)) return reply.failure
    await showRetry(deps, run, reply.failure)
    throw modelFailure(reply.failure, snapshot.timing)
  }
  const message = redactAnswer(reply.message, deps.redact)
  return { kind: "written", message, model, text: answerText(message).trim() }
}

/** Gives a model the conversation as a text, and a shorter text if the provider refuses it as too long. */
const askModelFor = async (
  deps: AgentDependencies,
  input: CompactInput,
  { task, model }: { readonly task: SummaryTask; readonly model: NamedSpec },
): Promise<WrittenSummary | ModelError> => {
  let maxBytes = requestBytes(model)
  for (let halvings = 0; ; halvings += 1) {
    const way = textWay(deps, input, { task, model, maxBytes })
    const written = await askFor(deps, input, { task, way })
    if (written.kind !== "context_exceeded" || halvings >= maxHalvings) return written
    maxBytes = Math.floor(Buffer.byteLength(JSON.stringify(way.question.messages)) / 2)
  }
}

/**
 * Returns the ways to get a summary, the preferred one first: the provider's own, unless the configuration names a model for summaries; the model for
 * summaries; the model of the conversation.
 */
const waysTo = (deps: AgentDependencies, input: CompactInput, task: SummaryTask) => {
  const { own, snapshot } = task
  const needsPrice = input.budget.microUsd !== null || hasUsdCap(deps.dailyCaps)
  const askItself = () => {
    const way = ownWay(input, task)
    return whileLoaded(deps, input, {
      spec: own.spec,
      messages: way.question.messages,
      work: () => askFor(deps, input, { task, way }),
    })
  }
  const byProvider =
    deps.providers[own.spec.provider].compacts === true && snapshot.compaction.model === undefined
      ? [{ name: `${own.name} itself`, ask: askItself }]
      : []
  const byModels = summaryModels(deps, snapshot, { own, needsPrice }).map((model) => ({
    name: model.name,
    ask: () => askModelFor(deps, input, { task, model }),
  }))
  return [...byProvider, ...byModels]
}

/** Gets the summary in the first way that works. After a failure that another way may avoid, the next way is tried. */
export const writeSummary = async (
  deps: AgentDependencies,
  input: CompactInput,
  task: SummaryTask,
): Promise<WrittenSummary> => {
  let failure: ModelError | undefined
  for (const { name, ask } of waysTo(deps, input, task)) {
    const written = await ask()
    if (!(written instanceof ModelError)) return written
    deps.logger.warn({ session_id: input.sessionId }, `model ${name} could not write a summary: ${written.message}`)
    failure = written
  }
  if (failure === undefined) throw new Error("there is no model for summaries")
  throw modelFailure(failure, task.snapshot.timing)
}
