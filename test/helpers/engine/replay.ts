import type { Client } from "@temporalio/client"
import { Worker } from "@temporalio/worker"
import { payloadConverterPath, workflowBundle } from "../../../worker/workflow-bundle.ts"
import { refuseExpectedStacks } from "./refuse-expected-stacks.ts"

export interface RecordedHistory {
  readonly workflowId: string
  readonly history: unknown
}

/** Handles the histories that a harness fetched when it closed. */
export type Replayer = (histories: readonly RecordedHistory[]) => Promise<void>

const replayOptions = async () => ({
  workflowBundle: await workflowBundle(process.env),
  dataConverter: { payloadConverterPath },
})

export const fetchHistories = (temporal: Client, workflowIds: readonly string[]): Promise<RecordedHistory[]> =>
  Promise.all(
    workflowIds.map(async (workflowId) => ({
      workflowId,
      history: await temporal.workflow.getHandle(workflowId).fetchHistory(),
    })),
  )

/** Rejects if the current code makes other decisions than the history shows. */
export const replay = async (history: unknown, workflowId: string): Promise<void> =>
  Worker.runReplayHistory(await replayOptions(), history, workflowId)

/** Replays histories with one worker. Rejects with the first failure. */
export const replayEach: Replayer = async (histories) => {
  for await (const { workflowId, error } of Worker.runReplayHistories(await replayOptions(), histories))
    if (error !== undefined) throw new Error(`the replay of ${workflowId} failed: ${error.message}`, { cause: error })
}

/** Replays histories as `replayEach` does. Also rejects if one contains something that no history may contain. */
export const replayAll: Replayer = async (histories) => {
  if (histories.length === 0) return
  for (const { history } of histories) refuseExpectedStacks(history)
  await replayEach(histories)
}
