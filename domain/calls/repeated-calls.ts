import type { BatchCall, ToolBatch } from "./tool-batch.ts"

/** How often one and the same call has come to the same in a row. */
export interface RepeatedCall {
  /** Of the call and, where nobody decided, of what it came to. */
  readonly key: string
  readonly count: number
  /** A person has rejected it; otherwise it fails, or is refused by policy. */
  readonly isRejected: boolean
  readonly name: string
  /** The last reason. */
  readonly reason: string
}

/** After so many rejections by a person, and after so many failures, a run makes no progress. */
const mostRejections = 3
const mostFailures = 10

/** Returns what a call that did not succeed came to; undefined for one that did, or that nobody named. */
const callFailure = ({
  state,
  disposition,
}: BatchCall): { readonly text: string; readonly isRejected: boolean } | undefined => {
  if (state.at === "done") return state.failed === undefined ? undefined : { text: state.failed, isRejected: false }
  if (state.at !== "settled" || state.answer.isUnnamed === true) return undefined
  const { outcome, content } = state.answer
  if (outcome === "rejected") return { text: content, isRejected: disposition === "prompt" }
  return outcome === "error" ? { text: content, isRejected: false } : undefined
}

const isUnnamed = ({ state }: BatchCall): boolean => state.at === "settled" && state.answer.isUnnamed === true

/** Counts the calls of a complete batch. Any other call in between, or one that succeeds, starts again; calls that were merely not named do not count. */
export const countRepeats = (before: RepeatedCall | undefined, { calls }: ToolBatch): RepeatedCall | undefined => {
  let last = before
  for (const call of calls) {
    if (isUnnamed(call)) continue
    const failure = callFailure(call)
    if (failure === undefined || call.hash === undefined) {
      last = undefined
      continue
    }
    const { text, isRejected } = failure
    const key = isRejected ? `${call.hash} rejected` : `${call.hash} ${text}`
    last = { key, count: last?.key === key ? last.count + 1 : 1, isRejected, name: call.name, reason: text }
  }
  return last
}

const reasonText = ({ reason }: RepeatedCall): string => reason.replace(/^TOOL_CALL_REJECTED:? ?/, "")

/** Returns why a run makes no progress; undefined while it may. */
export const noProgress = (repeated: RepeatedCall | undefined): string | undefined => {
  if (repeated === undefined) return undefined
  const { count, isRejected, name } = repeated
  if (count < (isRejected ? mostRejections : mostFailures)) return undefined
  const reason = reasonText(repeated)
  const why = reason === "" ? "" : ` (${isRejected ? "last reason" : "last result"}: ${reason})`
  return isRejected
    ? `the same call of ${name} was rejected ${count} times in a row${why}: say what to do instead`
    : `the same call of ${name} failed ${count} times in a row, and nothing changed in between${why}`
}

/** Returns what people are told about a call that they are asked about again after they rejected it. */
export const rejectedBefore = (repeated: RepeatedCall | undefined, asked: readonly BatchCall[]): string | undefined => {
  if (repeated?.isRejected !== true) return undefined
  const isAsked = asked.some(({ hash }) => hash !== undefined && `${hash} rejected` === repeated.key)
  if (!isAsked) return undefined
  const reason = reasonText(repeated)
  const times = repeated.count === 1 ? "once" : `${repeated.count} times`
  return `This same call of ${repeated.name} was rejected ${times} already${reason === "" ? "" : `, last because: ${reason}`}`
}
