import type { BlockedBy } from "../../../contracts/session/session.ts"
import type { TaskClient } from "../../../client/task-client.ts"
import { movedMachine } from "../../../domain/engine/placement.ts"
import { assertNever } from "../../../domain/assert-never.ts"
import { durationText } from "../../../domain/text/figures.ts"
import { oneLine } from "../../terminal/plain-text.ts"

/** What a run waits for without an event that says so. */
export interface RunWaits {
  readonly blockedBy: BlockedBy | null
  /** How many of its sub-agents have no slot. */
  readonly queuedChildren: number
}

export const noWaits: RunWaits = { blockedBy: null, queuedChildren: 0 }

/** Asks for what a run waits for. */
export const findWaits = async (client: Pick<TaskClient, "info" | "list">, sessionId: string): Promise<RunWaits> => {
  const [blockedBy] = (await client.info(sessionId)).blocked_by
  if (blockedBy !== undefined) return { blockedBy, queuedChildren: 0 }
  const { items } = await client.list({ parent: sessionId, status: "pending", limit: 100 })
  return {
    blockedBy: null,
    queuedChildren: items.filter(({ blocked_by: blocked }) => blocked.some(({ type }) => type === "lane")).length,
  }
}

/** Returns a time that has passed, in whole seconds. */
export const waitedText = (ms: number): string =>
  durationText(Math.floor(Math.max(0, ms) / 1_000) * 1_000).replace(".0s", "s")

const untilText = (nextAt: string | null, nowMs: number): string => {
  const waitMs = nextAt === null ? Number.NaN : Date.parse(nextAt) - nowMs
  if (Number.isNaN(waitMs)) return ""
  return `, next attempt ${waitMs > 0 ? `in ${Math.ceil(waitMs / 1_000)}s` : "now"}`
}

/** Returns what blocks a run in a few words: `queued behind other sub-agents · 12s`. */
export const blockedStatus = (blocked: BlockedBy, nowMs: number): string => {
  const since = blocked.since === null ? "" : ` · ${waitedText(nowMs - Date.parse(blocked.since))}`
  const reason = blocked.reason ?? ""
  switch (blocked.type) {
    case "lane":
      return `queued behind other sub-agents${since}`
    case "worker_busy":
      return `waiting for the worker: ${oneLine(reason, 120)}${since}`
    case "place": {
      const { machines = [] } = blocked
      if (machines.includes(movedMachine)) return `stopped until it is resumed${since}`
      return `waiting for a worker on ${oneLine(machines.join(" or "), 120)}${since}`
    }
    case "child_paused":
      return `waiting for a person's answer to ${oneLine((blocked.session_ids ?? []).join(", "), 120)}${since}`
    case "daily_limit":
      return `waiting for calls that run now${untilText(blocked.next_at, nowMs)}: ${oneLine(reason, 200)}`
    case "rate_limit":
      return `waiting for the provider's rate limit${untilText(blocked.next_at, nowMs)}${since}`
    case "provider_unavailable":
      return `waiting for the provider${untilText(blocked.next_at, nowMs)}: ${oneLine(reason, 120)}`
    case "missing_key":
      return `waiting for a key: ${oneLine(reason, 200)}${since}`
    case "store":
      return `waiting for the store: ${oneLine(reason, 200)}${since}`
    case "engine":
      return `waiting for Temporal${since}`
    default:
      return assertNever(blocked.type)
  }
}
