import type { Session } from "../contracts/session.ts"
import type { Resumption } from "./run/apply-resumption.ts"
import type { SessionHost } from "./host/session-host.ts"

const eventsLookedAt = 1_000

const plannedFor = (resumption: Extract<Resumption, { kind: "decisions" }>, callId: string): string =>
  (Object.hasOwn(resumption.decisions, callId) ? resumption.decisions[callId] : resumption.all)?.action ?? "reject"

/**
 * A decision that was left for a worker may find that somebody else's came first. Says so after the run went on: what took effect stands in the
 * event log.
 */
export const warnOfOtherDecision = async (
  { store, warn }: Pick<SessionHost, "store" | "warn">,
  session: Session,
  resumption: Resumption,
): Promise<void> => {
  if (resumption.kind !== "decisions") return
  const { lastId } = await store.events.read(session.id, { after: 0, limit: 1 })
  const { events } = await store.events.read(session.id, {
    after: Math.max(0, lastId - eventsLookedAt),
    limit: eventsLookedAt,
  })
  const contrary = events
    .filter((event) => event.type === "decision-recorded" && event["checkpoint_id"] === session.checkpoint_id)
    .flatMap(({ decisions }) => (typeof decisions === "object" && decisions !== null ? Object.entries(decisions) : []))
    .filter(([id, action]) => action !== plannedFor(resumption, id))
  if (contrary.length > 0)
    warn(
      `your decision came too late: somebody else's took effect on task ${session.id} (${contrary.map(([id, action]) => `${id}: ${String(action)}`).join(", ")})`,
    )
}
