import type { SessionDetail } from "../../contracts/session-detail.ts"
import type { CallItem } from "./blocks.ts"
import { callKey, type Previews } from "./previews.ts"

export interface CallState {
  readonly text: string
  readonly kind: "ok" | "bad" | "waits" | "runs"
  readonly isPending: boolean
}

const outcomes: Readonly<Record<string, CallState>> = {
  ok: { text: "ok", kind: "ok", isPending: false },
  error: { text: "error", kind: "bad", isPending: false },
  rejected: { text: "rejected", kind: "bad", isPending: false },
  skipped: { text: "did not run", kind: "bad", isPending: false },
  unknown: { text: "outcome unknown", kind: "bad", isPending: false },
  custom: { text: "answered by a person", kind: "ok", isPending: false },
}

const waits = (text: string, isPending = false): CallState => ({ text, kind: "waits", isPending })

/** Returns how a call stands. Only what nobody has decided yet waits for approval. */
export const callState = (
  { seq, call, result }: CallItem,
  session: Pick<SessionDetail, "status" | "pause_reason" | "blocked_by">,
  { isLatest, previews }: { readonly isLatest: boolean; readonly previews: Previews },
): CallState => {
  if (result !== undefined) return outcomes[result.outcome] ?? waits(result.outcome)
  if (!isLatest || !["running", "paused", "pending"].includes(session.status)) return waits("did not run")
  if (session.status !== "paused")
    return session.blocked_by?.type === "child_paused"
      ? waits("waits for a sub-agent")
      : { text: "runs", kind: "runs", isPending: false }
  const pending = session.pause_reason?.pending_tool_calls ?? []
  if (pending.some(({ id }) => id === call.id)) return waits("waits for approval", true)
  return previews.has(callKey(seq, call.id))
    ? waits("decided; takes effect with the other decisions")
    : waits("waits for the other calls")
}
