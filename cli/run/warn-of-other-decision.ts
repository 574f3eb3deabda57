import type { Session } from "../../contracts/session.ts"
import { recordedDecisions } from "../../sessions/decide/pause-decisions.ts"
import type { SessionHost } from "../host/session-host.ts"
import type { Resumption } from "./apply-resumption.ts"

const plannedFor = (resumption: Extract<Resumption, { kind: "decisions" }>, callId: string): string =>
  (Object.hasOwn(resumption.decisions, callId) ? resumption.decisions[callId] : resumption.all)?.action ?? "reject"

/**
 * Warns if another decision on the same pause was applied first. It is known only after the run has continued: the applied decision is in the
 * event log.
 */
export const warnOfOtherDecision = async (
  { store, warn }: Pick<SessionHost, "store" | "warn">,
  session: Session,
  resumption: Resumption,
): Promise<void> => {
  if (resumption.kind !== "decisions") return
  const checkpointId = session.checkpoint_id ?? ""
  const contrary = (await recordedDecisions(store, { sessionId: session.id, checkpointId })).filter(
    ([id, action]) => action !== plannedFor(resumption, id),
  )
  if (contrary.length > 0)
    warn(
      `your decision came too late: another one was applied to task ${session.id} (${contrary.map(([id, action]) => `${id}: ${String(action)}`).join(", ")})`,
    )
}
