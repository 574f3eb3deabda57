import type { SendRequest, Sent } from "../../sessions/send-request.ts"
import { AdjutantError } from "../../contracts/adjutant-error.ts"
import type { Target } from "../../contracts/http/targets.ts"
import type { Session } from "../../contracts/session/session.ts"
import { commandLineActor } from "../../service/command-line-actor.ts"
import type { Decisions } from "./decision-flags.ts"
import type { TaskHost } from "../host/hosts.ts"

export type Resumption =
  | ({ readonly kind: "decisions" } & Decisions)
  /** Nothing is sent: the run is only followed, or was active when its data directory was moved. */
  | { readonly kind: "continue"; readonly runId: string }
  | { readonly kind: "text"; readonly text: string; readonly limits: NonNullable<SendRequest["limits"]> }

export interface ResumptionRequest {
  /** The session as the user named it. */
  readonly target: Target
  readonly session: Session
  readonly resumption: Resumption
}

/** Sends the resumption to the session. Refuses a checkpoint or run that has ended. */
export const applyResumption = async (host: TaskHost, request: ResumptionRequest): Promise<Sent> => {
  const { session, resumption } = request
  if (resumption.kind === "continue") return { state: "applied", runId: resumption.runId }
  const common = { sessionId: session.id, actor: commandLineActor(), ...expectedState(request) }
  if (resumption.kind === "decisions") {
    const { all, decisions } = resumption
    return host.client.decide({ ...common, decisions, unlisted: "reject", ...(all === undefined ? {} : { all }) })
  }
  const { text, limits } = resumption
  return host.client.send({ ...common, type: "message", text, limits })
}

/** Returns the pause or the run that the user named, or the pause that is open now. If another pause opens before the decision arrives, it is refused. */
const expectedState = ({
  target: { checkpoint, run_id: runId },
  session,
  resumption,
}: ResumptionRequest): { readonly checkpointId?: string; readonly runId?: string } => {
  if (checkpoint !== null && !checkpoint.is_open && resumption.kind === "decisions")
    throw staleCheckpoint(checkpoint.id, session)
  if (checkpoint !== null) return { checkpointId: checkpoint.id }
  if (runId !== null) return { runId }
  return session.status === "paused" && session.checkpoint_id !== null ? { checkpointId: session.checkpoint_id } : {}
}

const staleCheckpoint = (checkpointId: string, { id, status, checkpoint_id }: Session): AdjutantError =>
  new AdjutantError(
    "checkpoint_stale",
    status === "paused" && checkpoint_id !== null && checkpoint_id !== checkpointId
      ? `checkpoint ${checkpointId} is no longer open: task ${id} is now paused at ${checkpoint_id}; run "adjutant info ${id}"`
      : `checkpoint ${checkpointId} is no longer open: task ${id} ${checkpoint_id === checkpointId ? "continued a moment ago" : `is now ${status}`}; run "adjutant info ${id}"`,
  )
