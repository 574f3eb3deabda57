import type { Message } from "../../contracts/message.ts"
import type { ProviderName } from "../../contracts/run/model-provider.ts"
import { mediaTokens } from "../media/media-tokens.ts"
import { withMargin } from "../limits/prompt/next-call.ts"
import { estimateTokens } from "../limits/prompt/token-estimate.ts"
import { bytesOfTokens } from "./prompt-limit.ts"
import { promptView, type PromptRow, type PromptView, visibleMessages } from "./prompt-view.ts"
import { isLongResult } from "./result-reference.ts"

/** What a conversation has to fit into. All numbers are tokens, except `keepTurns`. */
export interface CompactionNeed {
  /** Of the model, for images and PDF files. */
  readonly provider: ProviderName
  readonly limit: number
  /** System prompt and tools. */
  readonly overhead: number
  readonly keepTurns: number
}

/** How the next prompt becomes shorter. Row numbers, as in the transcript's compaction row. */
export interface CompactionPlan {
  readonly kind: "results" | "summary"
  readonly summarised: number
  readonly referenced: number
  /** Bytes that the text of the summary's row may have, and tokens of the part that a model writes; 0 without a summary. */
  readonly textBytes: number
  readonly summaryTokens: number
}

/** Parts of the room that is left besides system prompt and tools. They leave enough for many steps before the next compaction. */
const parts = { afterResults: 0.6, kept: 0.35, keptAtMost: 0.6, carried: 0.2, summary: 0.1 } as const
const smallestSummaryTokens = 128

export const messageTokens = (messages: readonly Message[], provider: ProviderName): number =>
  withMargin(estimateTokens(JSON.stringify(messages))) + mediaTokens(messages, provider)

/** Returns the rows at which a kept end of the conversation can begin: its model turns, latest first. Calls and their results stay together. */
const turnStarts = (rows: readonly PromptRow[], { summarised }: PromptView): readonly number[] =>
  rows
    .filter(({ seq, message }) => seq > summarised && message.role === "assistant")
    .map(({ seq }) => seq)
    .toReversed()

const hasLongResult = (rows: readonly PromptRow[], after: number, upTo: number): boolean =>
  rows.some(({ seq, message }) => seq > after && seq <= upTo && message.role === "tool" && isLongResult(message))

/** Returns the summary at the beginning of the prompt, if there is one. */
const earlierSummary = ({ messages, summarised }: PromptView): readonly Message[] =>
  summarised > 0 ? messages.slice(0, 1) : []

/** Plans that long results before the last turns become references. This is tried first, because it costs no model call. */
const planResults = (
  rows: readonly PromptRow[],
  view: PromptView,
  { limit, overhead, keepTurns, provider }: CompactionNeed,
): CompactionPlan | undefined => {
  const { summarised } = view
  const room = (limit - overhead) * parts.afterResults - messageTokens(earlierSummary(view), provider)
  return turnStarts(rows, view)
    .slice(0, keepTurns)
    .map((start) => resultsPlan({ summarised, referenced: start - 1 }))
    .findLast(
      (plan) =>
        hasLongResult(rows, Math.max(view.referenced, summarised), plan.referenced) &&
        messageTokens(visibleMessages(rows, plan), provider) <= room,
    )
}

/** A place up to which a conversation is left out, and up to which its long results become references. */
type Cut = Pick<CompactionPlan, "summarised" | "referenced">

const resultsPlan = (cut: Cut): CompactionPlan => ({ kind: "results", ...cut, textBytes: 0, summaryTokens: 0 })

const summaryPlan = (cut: Cut, room: number): CompactionPlan => ({
  kind: "summary",
  ...cut,
  textBytes: bytesOfTokens(Math.floor(room * (parts.carried + parts.summary))),
  summaryTokens: Math.max(smallestSummaryTokens, Math.floor(room * parts.summary)),
})

/** Plans for a last turn that is too long to be kept as it is: with references instead of its own results, or summarised with the rest. */
const planLongTurn = (
  rows: readonly PromptRow[],
  view: PromptView,
  { room, provider }: Pick<CompactionNeed, "provider"> & { readonly room: number },
): CompactionPlan | undefined => {
  const tokensOf = (cut: Cut): number => messageTokens(visibleMessages(rows, cut), provider)
  const referenced = rows.at(-1)?.seq ?? 0
  const results = { summarised: view.summarised, referenced }
  const isShorter = hasLongResult(rows, Math.max(view.referenced, view.summarised), referenced)
  if (isShorter && tokensOf(results) + messageTokens(earlierSummary(view), provider) <= room * parts.afterResults)
    return resultsPlan(results)
  const lastTurn = rows.findLast(({ message }) => message.role === "assistant")?.seq ?? 0
  const lastOfModel = rows.findLast(({ message }) => message.role !== "user")?.seq ?? 0
  const cut = [lastTurn - 1, lastOfModel]
    .map((summarised) => ({ summarised, referenced }))
    .find((each) => each.summarised > view.summarised && tokensOf(each) <= room * parts.keptAtMost)
  return cut === undefined ? undefined : summaryPlan(cut, room)
}

/** Plans a summary that replaces everything except as many of the last turns as fit. */
const planSummary = (
  rows: readonly PromptRow[],
  view: PromptView,
  { limit, overhead, keepTurns, provider }: CompactionNeed,
): CompactionPlan | undefined => {
  const room = limit - overhead
  const cut = turnStarts(rows, view)
    .slice(0, keepTurns)
    .map((start) => ({ summarised: start - 1, referenced: Math.max(view.referenced, start - 1) }))
    .findLast((each) => messageTokens(visibleMessages(rows, each), provider) <= room * parts.kept)
  if (cut === undefined) return planLongTurn(rows, view, { room, provider })
  return cut.summarised > view.summarised ? summaryPlan(cut, room) : undefined
}

/**
 * Plans how a conversation that does not fit becomes shorter; undefined if it cannot. Old long results become references first. If that is not enough, a
 * summary replaces the earlier part. Both apply up to a fixed row of the transcript, so that the beginning of the prompt, which providers cache, changes
 * only once per compaction.
 */
export const planCompaction = (rows: readonly PromptRow[], need: CompactionNeed): CompactionPlan | undefined => {
  if (need.limit <= need.overhead) return undefined
  const view = promptView(rows)
  return planResults(rows, view, need) ?? planSummary(rows, view, need)
}
