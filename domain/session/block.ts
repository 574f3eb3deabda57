import type { BlockedBy } from "../../contracts/session/session.ts"
import { movedMachine } from "../engine/placement.ts"

/** What keeps a run from continuing, other than a pause of its own, as it is stored. Times in ISO 8601 UTC. */
export type RunBlocker = { readonly since: string } & (
  | { readonly type: "provider_unavailable"; readonly reason: string; readonly next_at: string | null }
  /** Nobody has brought the value of a variable. */
  | { readonly type: "missing_key"; readonly reason: string; readonly next_at: string | null }
  | { readonly type: "rate_limit"; readonly next_at: string | null }
  /** Other calls have reserved the rest of a limit. */
  | { readonly type: "daily_limit"; readonly reason: string; readonly next_at: string | null }
  | { readonly type: "lane" }
  | { readonly type: "worker_busy"; readonly reason: string }
  | { readonly type: "child_paused"; readonly session_ids: readonly string[] }
  /** The machine that has the working directory and no worker; several if it is not known which one has it. */
  | { readonly type: "machine"; readonly machines: readonly string[] }
)

const nothingElse = { reason: null, next_at: null }

const placeText = (machines: readonly string[]): string =>
  machines.includes(movedMachine)
    ? "its data directory was moved: a person must resume it"
    : `${machines.join(" or ")}, which has the working directory, has no worker`

/** Returns what blocks a run as every adapter shows it. */
export const shownBlock = (block: RunBlocker): BlockedBy => {
  switch (block.type) {
    case "machine": {
      const { machines, since } = block
      return { ...nothingElse, type: "place", since, reason: placeText(machines), machines: [...machines] }
    }
    case "child_paused": {
      const { session_ids: ids, since } = block
      const reason = `${ids.join(", ")} ${ids.length === 1 ? "waits" : "wait"} for a person`
      return { ...nothingElse, type: "child_paused", since, reason, session_ids: [...ids] }
    }
    case "lane":
      return { ...nothingElse, ...block, reason: "other sub-agents have all slots" }
    case "rate_limit":
      return { ...block, reason: "the provider limits requests" }
    case "worker_busy":
      return { ...nothingElse, ...block }
    case "provider_unavailable":
    case "missing_key":
    case "daily_limit":
      return block
  }
}
