import { expect } from "vitest"
import { type RecordedHistory, replayAll, type Replayer } from "./replay.ts"

interface Waiting extends RecordedHistory {
  readonly testName: string | undefined
}

let waiting: Waiting[] = []

/** Keeps histories until the end of the test file: one worker for all of them costs a fraction of one for each. */
export const replayLater: Replayer = async (histories) => {
  const { currentTestName: testName } = expect.getState()
  waiting.push(...histories.map((recorded) => ({ ...recorded, testName })))
}

/** Replays what waits. Rejects with all that failed, each by the name of its test. */
export const replayWaiting = async (): Promise<void> => {
  const histories = waiting
  waiting = []
  try {
    await replayAll(histories)
  } catch (error) {
    const failed = histories.filter(({ workflowId }) => error instanceof Error && error.message.includes(workflowId))
    const names = [...new Set(failed.map(({ testName }) => testName))].join(", ")
    throw new Error(`a history of "${names}" does not replay`, { cause: error })
  }
}
