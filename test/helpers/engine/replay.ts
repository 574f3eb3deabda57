import { setTimeout as delay } from "node:timers/promises"
import type { Client } from "@temporalio/client"
import { Worker } from "@temporalio/worker"
import type { PayloadCodec } from "@temporalio/common"
import {
  encodingFailureConverterPath,
  payloadConverterPath,
  withEncodedFailures,
  workflowBundle,
} from "../../../worker/workflow-bundle.ts"
import { refuseExpectedStacks } from "./refuse-expected-stacks.ts"

export interface RecordedHistory {
  readonly workflowId: string
  readonly history: unknown
}

/** Handles the histories that a harness fetched when it closed. */
export type Replayer = (histories: readonly RecordedHistory[]) => Promise<void>

/** `codec` reads histories that are encrypted. */
const replayOptions = async (codec?: PayloadCodec) => {
  const bundle = await workflowBundle(process.env)
  return codec === undefined
    ? { workflowBundle: bundle, dataConverter: { payloadConverterPath } }
    : {
        workflowBundle: await withEncodedFailures(bundle),
        dataConverter: {
          ...{ payloadConverterPath, payloadCodecs: [codec] },
          failureConverterPath: encodingFailureConverterPath,
        },
      }
}

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

/** Far above what a replay takes, and below half of what a hook may take. */
const replayTimeoutMs = 75_000

const replayOnce = async (histories: readonly RecordedHistory[], codec?: PayloadCodec): Promise<"replayed"> => {
  for await (const { workflowId, error } of Worker.runReplayHistories(await replayOptions(codec), histories))
    if (error !== undefined) throw new Error(`the replay of ${workflowId} failed: ${error.message}`, { cause: error })
  return "replayed"
}

/**
 * Replays histories with one worker. Rejects with the first failure. A worker of the engine's library that replays can stop without an end, rarely and
 * whatever it replays: then another one does. Code that never ends is found by the second.
 */
export const replayEach = async (histories: readonly RecordedHistory[], codec?: PayloadCodec): Promise<void> => {
  for (let attempt = 1; attempt <= 2; attempt += 1) {
    const timeout = new AbortController()
    const timedOut = delay(replayTimeoutMs, "timed out" as const, { signal: timeout.signal, ref: false })
    timedOut.catch(() => undefined)
    const result = await Promise.race([replayOnce(histories, codec), timedOut])
    timeout.abort()
    if (result === "replayed") return
    console.error(`the replay of ${histories.length} histories did not end (attempt ${attempt})`)
  }
  throw new Error(`the replay did not end: ${histories.map(({ workflowId }) => workflowId).join(", ")}`)
}

/** Replays histories as `replayEach` does. Also rejects if one contains something that no history may contain. */
export const replayAll = async (histories: readonly RecordedHistory[], codec?: PayloadCodec): Promise<void> => {
  if (histories.length === 0) return
  for (const { history } of histories) refuseExpectedStacks(history)
  await replayEach(histories, codec)
}
