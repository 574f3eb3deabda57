import type { SessionDetail } from "../../contracts/session/session-detail.ts"
import type { CallItem } from "../state/blocks.ts"
import { previewKey, type Previews } from "../state/previews.ts"

export interface ShownCallState {
  readonly text: string
  readonly kind: "ok" | "bad" | "waits" | "runs"
}

const outcomes: Readonly<Record<string, ShownCallState>> = {
  ok: { text: "ok", kind: "ok" },
  error: { text: "error", kind: "bad" },
  rejected: { text: "rejected", kind: "bad" },
  skipped: { text: "did not run", kind: "bad" },
  unknown: { text: "outcome unknown", kind: "bad" },
  custom: { text: "answered by a person", kind: "ok" },
}

const waits = (text: string): ShownCallState => ({ text, kind: "waits" })

/** Returns how a call stands. Only what nobody has decided yet waits for approval. */
export const callState = (
  { seq, call, result }: CallItem,
  session: Pick<SessionDetail, "status" | "pause_reason" | "blocked_by">,
  { isLatest, previews }: { readonly isLatest: boolean; readonly previews: Previews },
): ShownCallState => {
  if (result !== undefined) return outcomes[result.outcome] ?? waits(result.outcome)
  // What is not known is not said: only a result says that a call did not run.
  if (!isLatest || !["running", "paused", "pending"].includes(session.status)) return waits("no result")
  if (session.blocked_by.some(({ type }) => type === "child_paused")) return waits("waits for a sub-agent")
  if (session.pause_reason === null) return { text: "runs", kind: "runs" }
  const pending = session.pause_reason.pending_tool_calls ?? []
  if (pending.some(({ id }) => id === call.id)) return waits("waits for approval")
  return previews.has(previewKey(seq, call.id))
    ? waits("decided; takes effect with the other decisions")
    : waits("waits for the other calls")
}
