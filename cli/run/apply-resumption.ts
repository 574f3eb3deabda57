import type { SendRequest, Sent } from "../../sessions/messages/send-request.ts"
import { AdjutantError } from "../../contracts/adjutant-error.ts"
import type { Session } from "../../contracts/session.ts"
import { commandLineActor } from "../actor.ts"
import type { Decisions } from "./decision-flags.ts"
import type { SessionHost } from "../host/session-host.ts"

export type Resumption =
  | ({ readonly kind: "decisions" } & Decisions)
  | { readonly kind: "text"; readonly text: string; readonly limits: NonNullable<SendRequest["limits"]> }

export interface ResumptionRequest {
  /** As the user named it. */
  readonly target: string
  readonly session: Session
  readonly resumption: Resumption
  readonly hostQueue?: string | undefined
}

/** Sends the resumption to the session. Refuses a checkpoint or run that has ended. */
export const applyResumption = async (host: SessionHost, request: ResumptionRequest): Promise<Sent> => {
  const { session, resumption, hostQueue } = request
  const common = { sessionId: session.id, actor: commandLineActor(), ...(await expectedState(host, request)) }
  if (resumption.kind === "decisions") {
    const { all, decisions } = resumption
    return host.client.decide({ ...common, decisions, unlisted: "reject", ...(all === undefined ? {} : { all }) })
  }
  const { text, limits } = resumption
  return host.client.send({
    ...common,
    type: "message",
    text,
    limits,
    ...(hostQueue === undefined ? {} : { hostQueue }),
  })
}

/** Returns the pause or the run that the user named, else the pause that is open now, so that a pause that opens later is not decided unseen. */
const expectedState = async (
  { store }: SessionHost,
  { target, session, resumption }: ResumptionRequest,
): Promise<{ readonly checkpointId?: string; readonly runId?: string }> => {
  if (target !== session.id) {
    const pause = await store.pauses.byCheckpoint(target)
    if (pause !== undefined && pause.closedAt !== null && resumption.kind === "decisions")
      throw staleCheckpoint(target, session)
    if (pause !== undefined) return { checkpointId: target }
    if ((await store.runs.get(target)) !== undefined) return { runId: target }
  }
  return session.status === "paused" && session.checkpoint_id !== null ? { checkpointId: session.checkpoint_id } : {}
}

const staleCheckpoint = (checkpointId: string, { id, status, checkpoint_id }: Session): AdjutantError =>
  new AdjutantError(
    "checkpoint_stale",
    status === "paused" && checkpoint_id !== null && checkpoint_id !== checkpointId
      ? `checkpoint ${checkpointId} is no longer open: task ${id} is now paused at ${checkpoint_id}; run "adjutant info ${id}"`
      : `checkpoint ${checkpointId} is no longer open: task ${id} ${checkpoint_id === checkpointId ? "continued a moment ago" : `is now ${status}`}; run "adjutant info ${id}"`,
  )
