import { type EarlyMessage, rememberId, type SessionState } from "./session-state.ts"

/** Returns true for a checkpoint that is neither open nor past. */
export const isEarly = ({ run, pastCheckpoints }: SessionState, checkpointId: string | undefined): boolean =>
  checkpointId !== undefined && run.pause === null && !pastCheckpoints.includes(checkpointId)

export const addEarlyMessage = (state: SessionState, arrival: EarlyMessage): void => {
  state.early = [...state.early, arrival]
}

/** Removes and returns the early messages, when a pause opens or the run ends. */
export const removeEarlyMessages = (state: SessionState): readonly EarlyMessage[] => {
  const { early } = state
  state.early = []
  return early
}

/** Ends the open pause if there is one; the next activity records this in the store. */
export const endOpenPause = (state: SessionState): void => {
  const { run } = state
  if (run.pause === null) return
  rememberId(state.pastCheckpoints, run.pause.checkpointId)
  run.closedCheckpoint = run.pause.checkpointId
  run.pause = null
}
