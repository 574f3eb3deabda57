import type { Decide } from "../contracts/decision.ts"
import type { SessionMessage } from "./session-message.ts"
import { rememberId, type SessionState } from "./session-state.ts"

/**
 * A decision or an answer for a pause that people see and the workflow has not opened: its worker died after the pause was written and before the
 * engine knew. The workflow opens it again, under the same checkpoint.
 */
export type EarlyArrival =
  | { readonly kind: "decision"; readonly decide: Decide }
  | { readonly kind: "answer"; readonly message: SessionMessage }

/** True for a checkpoint that is neither the open one nor one that is over. */
export const isEarly = ({ run, pastCheckpoints }: SessionState, checkpointId: string | undefined): boolean =>
  checkpointId !== undefined && run.pause === null && !pastCheckpoints.includes(checkpointId)

export const keepEarly = (state: SessionState, arrival: EarlyArrival): void => {
  state.early = [...state.early, arrival]
}

/** What was kept, once: for the pause that has just been opened, or for the end of the run. */
export const takeEarly = (state: SessionState): readonly EarlyArrival[] => {
  const { early } = state
  state.early = []
  return early
}

/** The open pause, where there is one, is over; the next activity tells the store. */
export const endOpenPause = (state: SessionState): void => {
  const { run } = state
  if (run.pause === null) return
  rememberId(state.pastCheckpoints, run.pause.checkpointId)
  run.closedCheckpoint = run.pause.checkpointId
  run.pause = null
}
