import { AdjutantError } from "../../contracts/adjutant-error.ts"

/** Returns the refusal of a request whose checkpoint is no longer the open one of its session. */
export const staleCheckpoint = (checkpointId: string, sessionId: string): AdjutantError =>
  new AdjutantError("checkpoint_stale", `checkpoint ${checkpointId} is no longer open`, {
    reason: { about: "state", task_id: sessionId },
  })

/** Returns the refusal of a name that no session has. */
export const unknownSession = (name: string): AdjutantError =>
  new AdjutantError("session_not_found", `there is no session ${name}`, { reason: { about: "unknown" } })

/** Returns the refusal of an id that no delivery has. */
export const unknownDelivery = (id: string): AdjutantError =>
  new AdjutantError("delivery_not_found", `there is no delivery ${id.slice(0, 100)}`, {
    reason: { about: "deliveries" },
  })

/** Returns the refusal of a checkpoint id that no pause has. */
export const unknownCheckpoint = (checkpointId: string): AdjutantError =>
  new AdjutantError("checkpoint_not_found", `there is no checkpoint ${checkpointId.slice(0, 100)}`, {
    reason: { about: "checkpoint" },
  })
