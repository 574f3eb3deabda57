import { type EarlyMessage, rememberId, type SessionState } from "../run/session-state.ts"

/** True for a checkpoint that is neither the open one nor one that is over. */
export const isEarly = ({ run, pastCheckpoints }: SessionState, checkpointId: string | undefined): boolean =>
  checkpointId !== undefined && run.pause === null && !pastCheckpoints.includes(checkpointId)

export const addEarlyMessage = (state: SessionState, arrival: EarlyMessage): void => {
  state.early = [...state.early, arrival]
}

/** Removes and returns the early messages, for the pause that has just been opened or for the end of the run. */
export const removeEarlyMessages = (state: SessionState): readonly EarlyMessage[] => {
  const { early } = state
  state.early = []
  return early
}

/** Ends the open pause, where there is one; the next activity records so in the store. */
export const endOpenPause = (state: SessionState): void => {
  const { run } = state
  if (run.pause === null) return
  rememberId(state.pastCheckpoints, run.pause.checkpointId)
  run.closedCheckpoint = run.pause.checkpointId
  run.pause = null
}
