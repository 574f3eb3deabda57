import { ApplicationFailure } from "@temporalio/activity"
import type { Compaction, Message } from "../../contracts/message.ts"
import type { RunSnapshot } from "../../contracts/run-snapshot.ts"
import { carriedText, type OpenChild } from "../../domain/compaction/carried-text.ts"
import { type CompactionPlan, messageTokens, planCompaction } from "../../domain/compaction/plan-compaction.ts"
import { answerTokens, bytesOfTokens, promptLimit } from "../../domain/compaction/prompt-limit.ts"
import { promptView, visibleMessages } from "../../domain/compaction/prompt-view.ts"
import { startOf } from "../../domain/text/foreign/well-formed.ts"
import { allowedModel } from "../../domain/models/allowed-model.ts"
import { costMicroUsd } from "../../domain/limits/usage-cost.ts"
import { toUsage } from "../../domain/limits/usage-totals.ts"
import { compactedOrdinal } from "../../domain/run/run-event-ordinals.ts"
import type { AgentDependencies } from "../agent-dependencies.ts"
import type { AgentActivities, CompactInput, CompactResult } from "../contract/agent-activities.ts"
import { followCall } from "../followed-calls.ts"
import { type TakenRows, takenRows } from "../model/model-media.ts"
import { type ModelPrompt, promptOf, modelSpecOf } from "../model/model-prompt.ts"
import { estimatedPrompt, withMargin } from "../../domain/limits/prompt/next-call.ts"
import { nextCallOf, tokensBefore } from "../model/next-call.ts"
import { superseded } from "../model/record-answer.ts"
import { budgetAfterReset } from "../limits/reset-spending.ts"
import { turnUsage } from "../limits/turn-usage.ts"
import { activityFence, isOwnRow } from "../transcript/activity-fence.ts"
import { appendOutbox } from "../transcript/write-outbox.ts"
import { inSlot } from "../slots/in-slot.ts"
import type { NamedSpec } from "./summary-models.ts"
import { compactionStep, type WrittenSummary, writeSummary } from "./write-summary.ts"

const usageOf = async ({ store }: AgentDependencies, { sessionId, runId, seq }: CompactInput) =>
  turnUsage(await store.usage.total({ sessionId, runId, step: compactionStep(seq) }))

/**
 * After a refusal, the prompt has to fit into this share of the known context: the provider counts more tokens than the estimate, or its context is smaller.
 */
const refusedShare = 0.7

/** What a compaction starts from. */
interface Situation extends TakenRows {
  readonly snapshot: RunSnapshot
  readonly own: NamedSpec
  readonly prompt: ModelPrompt
  readonly overhead: number
  readonly tokensBefore: number
  readonly limit: number
}

const readSituation = async (
  deps: AgentDependencies,
  input: CompactInput,
  snapshot: RunSnapshot,
): Promise<Situation> => {
  const name = allowedModel(snapshot, input.model)
  const spec = modelSpecOf(snapshot, name)
  const stored = await deps.store.messages.read(input.sessionId, { headSeq: input.seq - 1 })
  const { rows, shown } = await takenRows({ store: deps.store, sessionId: input.sessionId, spec }, stored)
  const prompt = await promptOf(deps, input, { snapshot })
  const view = promptView(rows)
  const asked = { ...view, messages: shown(view.messages) }
  const estimated = estimatedPrompt(nextCallOf(asked, { spec, models: snapshot.models, prompt }, answerTokens(spec)))
  const known = promptLimit(spec, snapshot.compaction) ?? Number.POSITIVE_INFINITY
  const limit = input.isRefused ? Math.min(known, Math.floor(estimated * refusedShare)) : known
  const overhead = withMargin(tokensBefore(prompt))
  return { snapshot, own: { name, spec }, rows, shown, prompt, overhead, tokensBefore: estimated, limit }
}

const openChildren = async (
  { store }: AgentDependencies,
  { children }: CompactInput,
): Promise<readonly OpenChild[]> => {
  const rows = await Promise.all(children.map((id) => store.sessions.get(id)))
  return rows.flatMap((row) =>
    row === undefined ? [] : [{ id: row.id, agent: row.agent, label: row.label ?? row.title, status: row.status }],
  )
}

const resultsText = "Long results of tools are shown to the model as references from here on, to save context."
const noSummary = "(The model wrote no summary.)"

interface Written {
  readonly message: Extract<Message, { role: "user" }>
  readonly summary?: Extract<WrittenSummary, { kind: "written" }>
}

/** Returns the row of a compaction; for a summary, after a model has written it. */
const writeRow = async (
  deps: AgentDependencies,
  input: CompactInput,
  { situation, plan }: { readonly situation: Situation; readonly plan: CompactionPlan },
): Promise<Written | Exclude<WrittenSummary, { kind: "written" }>> => {
  const { kind, summarised, referenced } = plan
  const compaction: Compaction = { kind, summarised, referenced }
  if (kind === "results") return { message: { role: "user", source: "compaction", text: resultsText, compaction } }
  const { rows, shown, snapshot, own, prompt } = situation
  const view = promptView(rows)
  const start = view.summarised > 0 ? view.messages.slice(0, 1) : []
  const since = visibleMessages(
    rows.filter(({ seq }) => seq <= summarised),
    view,
  )
  const summary = await writeSummary(deps, input, {
    snapshot,
    own,
    messages: shown([...start, ...since]),
    prompt,
    hidden: rows.map(({ message }) => message),
    summaryTokens: plan.summaryTokens,
  })
  if (summary.kind !== "written") return summary
  const hidden = rows.filter(({ seq }) => seq <= summarised).map(({ message }) => message)
  const carried = {
    hidden,
    children: await openChildren(deps, input),
    summary: startOf(summary.text, bytesOfTokens(plan.summaryTokens)) || noSummary,
  }
  const text = deps.redact(carriedText(carried, plan.textBytes))
  return {
    message: { role: "user", source: "compaction", text, compaction: { ...compaction, model: summary.model.name } },
    summary,
  }
}

/** Writes the row and all that follows from it in one transaction. The cost of the summary is recorded even if another attempt has written the row. */
const recordCompaction = async (
  deps: AgentDependencies,
  input: CompactInput,
  { situation, written }: { readonly situation: Situation; readonly written: Written },
): Promise<void> => {
  const { sessionId, runId, step, seq } = input
  const { message, summary } = written
  const usage = summary?.message.usage
  const cost = usage === undefined ? 0 : costMicroUsd(usage, summary?.model.spec.price ?? null)
  const row = { seq, runId, step, message, fence: activityFence() }
  const view = promptView([...situation.rows, { seq, message }])
  const data = {
    step,
    seq,
    ...message.compaction,
    tokens_before: situation.tokensBefore,
    tokens_after: situation.overhead + messageTokens(view.messages, situation.own.spec.provider),
    ...(usage === undefined ? {} : toUsage({ ...usage, costMicroUsd: cost })),
  }
  const counts = await deps.store.transaction(async (writes) => {
    const isOwn = await writes.messages.put(sessionId, row)
    if (isOwn) {
      const ordinal = compactedOrdinal(seq)
      await writes.events.append(sessionId, [{ type: "context-compacted", runId, ordinal, data }])
      await writes.sessions.patch(sessionId, { headSeq: seq })
    }
    // Last, since it locks the totals of the day, which all runs of the store share.
    if (usage !== undefined && summary !== undefined)
      await writes.usage.put({
        sessionId,
        runId,
        step: compactionStep(seq),
        fence: row.fence,
        model: summary.model.spec.model,
        ...usage,
        costMicroUsd: cost,
      })
    return isOwn
  })
  if (!counts) throw superseded()
}

const nothingLeft = ({ own }: Situation): ApplicationFailure =>
  ApplicationFailure.nonRetryable(
    `the conversation does not fit into the context of model ${own.name}, and no part of it can be left out: start a new session with a shorter instruction, or use a model with a larger context`,
    "context_exceeded",
  )

const compactNow = async (
  deps: AgentDependencies,
  input: CompactInput,
  snapshot: RunSnapshot,
): Promise<CompactResult> => {
  const situation = await readSituation(deps, input, snapshot)
  const { limit, overhead, rows, own } = situation
  const { keepTurns } = snapshot.compaction
  const plan = planCompaction(rows, { limit, overhead, keepTurns, provider: own.spec.provider })
  if (plan === undefined) {
    if (input.isRefused) throw nothingLeft(situation)
    return { kind: "nothing-to-compact" }
  }
  const written = await writeRow(deps, input, { situation, plan })
  if ("kind" in written && written.kind === "rate-limited") return written
  if ("kind" in written) return { ...written, usage: await usageOf(deps, input) }
  await recordCompaction(deps, input, { situation, written })
  return { kind: "compacted", usage: await usageOf(deps, input) }
}

/**
 * Creates the activity that makes a conversation shorter for the model: it writes one row, at the place that the workflow assigned, and deletes nothing.
 * A retry that finds its own row does not ask for another summary.
 */
export const createCompact =
  (deps: AgentDependencies, snapshotOf: (hash: string) => Promise<RunSnapshot>): AgentActivities["compact"] =>
  (input) =>
    followCall(deps, input, async (): Promise<CompactResult> => {
      const { store } = deps
      const snapshot = await snapshotOf(input.snapshotHash)
      await store.transaction((writes) => appendOutbox(writes, input, input.outbox), "crash")
      const done = await store.messages.get(input.sessionId, input.seq)
      if (done?.message.role === "user" && done.message.compaction !== undefined && isOwnRow(done.fence))
        return { kind: "compacted", usage: await usageOf(deps, input) }
      const budget = await budgetAfterReset(store, input, input.budget)
      const work = () => compactNow(deps, { ...input, budget }, snapshot)
      return await inSlot(deps, input, { slots: deps.slots.modelCalls, amount: 1, work })
    })
