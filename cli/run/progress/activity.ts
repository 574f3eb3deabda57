import type { SessionEvent } from "../../../contracts/event.ts"
import { lastLines } from "../../../domain/text/shown/command-output.ts"
import { callHeadline } from "../../text/call-text.ts"
import { oneLine } from "../../terminal/plain-text.ts"
import { numberField, type EventCall, proposedCalls, eventTextField } from "../../text/event-fields.ts"
import { blockedStatus, waitedText, noWaits, type RunWaits } from "./run-waits.ts"

interface RunningCall {
  readonly headline: string
  readonly sinceMs: number
  /** The last line of its output. */
  readonly last?: string
}

/** What a run is doing, as far as its events say. Times are milliseconds. */
export interface RunActivity {
  /** Since when the model works; null while it does not. */
  readonly modelSinceMs: number | null
  /** Headlines of proposed calls, by id. */
  readonly headlines: ReadonlyMap<string, string>
  /** Running calls, by id, the longest-running first. */
  readonly calls: ReadonlyMap<string, RunningCall>
  readonly openChildren: number
  readonly childrenSinceMs: number
  /** A failed model call that will be tried again. */
  readonly retry: { readonly reason: string; readonly attempt: number; readonly nextAtMs: number } | null
}

export const initialActivity = (calls: readonly EventCall[]): RunActivity => ({
  modelSinceMs: null,
  headlines: headlinesOf(calls),
  calls: new Map(),
  openChildren: 0,
  childrenSinceMs: 0,
  retry: null,
})

const headlinesOf = (calls: readonly EventCall[]): ReadonlyMap<string, string> =>
  new Map(calls.map((call) => [call.id, callHeadline(call.name, call.arguments)]))

const withChildren = (activity: RunActivity, change: number, nowMs: number): RunActivity => ({
  ...activity,
  openChildren: Math.max(0, activity.openChildren + change),
  childrenSinceMs: activity.openChildren === 0 ? nowMs : activity.childrenSinceMs,
})

const withoutCall = (activity: RunActivity, id: string): RunActivity => {
  const calls = new Map(activity.calls)
  calls.delete(id)
  return { ...activity, calls }
}

/** Returns the activity after an event. `nowMs`: when it was read, on the clock of this machine. */
export const nextActivity = (activity: RunActivity, event: SessionEvent, nowMs: number): RunActivity => {
  const callId = eventTextField(event, "call_id")
  switch (event.type) {
    case "run-started":
    case "step-started":
      return { ...activity, modelSinceMs: nowMs, retry: null }
    case "text-delta":
    case "reasoning-delta":
      return { ...activity, modelSinceMs: activity.modelSinceMs ?? nowMs, retry: null }
    case "model-retry": {
      const nextAtMs = Date.parse(eventTextField(event, "next_at"))
      const attempt = (numberField(event, "attempt") ?? 0) + 1
      const retry = { reason: oneLine(eventTextField(event, "reason"), 120), attempt, nextAtMs }
      return { ...activity, retry: Number.isNaN(nextAtMs) ? null : retry, modelSinceMs: nowMs }
    }
    case "model-changed":
      return { ...activity, modelSinceMs: nowMs, retry: null }
    case "tool-calls-proposed":
      return { ...activity, modelSinceMs: null, retry: null, headlines: headlinesOf(proposedCalls(event)) }
    case "tool-started": {
      const headline = activity.headlines.get(callId) ?? oneLine(eventTextField(event, "name"), 60)
      return {
        ...activity,
        modelSinceMs: null,
        calls: new Map(activity.calls).set(callId, { headline, sinceMs: nowMs }),
      }
    }
    case "tool-progressed": {
      const call = activity.calls.get(callId)
      const last = oneLine(lastLines(eventTextField(event, "message"), 1), 120)
      return call === undefined
        ? activity
        : { ...activity, calls: new Map(activity.calls).set(callId, { ...call, last }) }
    }
    case "tool-finished":
      return withoutCall(activity, callId)
    case "child-started":
      return withChildren(activity, 1, nowMs)
    case "child-finished":
      return withChildren(activity, -1, nowMs)
    case "run-paused":
    case "run-finished":
      return { ...activity, modelSinceMs: null, calls: new Map(), retry: null }
    case "steering-applied":
    case "tools-changed":
    case "tools-unavailable":
    case "tools-unlisted":
    case "context-compacted":
    case "decision-recorded":
    case "usage-updated":
    case "limit-approached":
    case "prompt-cut":
    case "worktree-opened":
    case "worktree-closed":
    case "worktree-merged":
      return activity
  }
}

const childrenText = (count: number, queued: number): string => {
  const children = count === 1 ? "a sub-agent" : `${count} sub-agents`
  if (queued === 0) return children
  return `${children}${count === 1 ? ", which is" : `, ${Math.min(queued, count)} of them`} queued behind others`
}

/** Returns what the run does now in a few words; undefined if there is nothing to say. `waits`: what its events do not say. */
export const activityText = (activity: RunActivity, nowMs: number, waits: RunWaits = noWaits): string | undefined => {
  const { retry, calls, modelSinceMs, openChildren, childrenSinceMs } = activity
  const since = (ms: number): string => waitedText(nowMs - ms)
  if (retry !== null) {
    const waitMs = retry.nextAtMs - nowMs
    const when = waitMs > 0 ? `in ${Math.ceil(waitMs / 1_000)}s` : "now"
    return `attempt ${retry.attempt} ${when}: ${retry.reason}`
  }
  if (waits.blockedBy !== null) return blockedStatus(waits.blockedBy, nowMs)
  const [call, ...others] = calls.values()
  if (call !== undefined)
    return [
      `${call.headline} · ${since(call.sinceMs)}`,
      ...(others.length === 0 ? [] : [`${others.length} more`]),
      ...(call.last === undefined || call.last === "" ? [] : [call.last]),
    ].join(" · ")
  if (modelSinceMs !== null) return `the model is working · ${since(modelSinceMs)}`
  if (openChildren === 0) return undefined
  return `waiting for ${childrenText(openChildren, waits.queuedChildren)} · ${since(childrenSinceMs)}`
}
