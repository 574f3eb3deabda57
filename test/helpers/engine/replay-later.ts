import { expect } from "vitest"
import { type RecordedHistory, replayAll, type Replayer } from "./replay.ts"

interface Waiting extends RecordedHistory {
  readonly testName: string | undefined
}

let waiting: Waiting[] = []

/**
 * Keeps a history until the end of the test file: one worker for all histories is much cheaper than one for
 * each.
 */
export const replayLater: Replayer = async (histories) => {
  const { currentTestName: testName } = expect.getState()
  waiting.push(...histories.map((recorded) => ({ ...recorded, testName })))
}

/** Replays the histories that were kept. Rejects with every failure, each under the name of its test. */
export const replayKept = async (): Promise<void> => {
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
