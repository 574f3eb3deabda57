import { asyncLocalStorage } from "@temporalio/activity"
import { AdjutantError } from "../contracts/adjutant-error.ts"
import { describeExecution } from "../engine/describe-execution.ts"
import { isEngineMismatch } from "../engine/engine-guard.ts"
import { translateTemporalError } from "../engine/translate-temporal-error.ts"
import type { AgentDependencies } from "./agent-dependencies.ts"

const answerMs = 5_000

/** It compares the engines itself, and reports another one. */
const comparesItself = "reconcileSessions"

/** It shows its run as begun, which acknowledges the message: what took the place of the right engine a moment ago must not. */
const beginsRun = "openRun"

type EngineDependencies = Pick<AgentDependencies, "engine" | "temporal">

/** Requires that the connected engine has the execution of the activity, which another engine can have begun before this one was back. */
const requireOwnExecution = async (temporal: EngineDependencies["temporal"]): Promise<void> => {
  const own = asyncLocalStorage.getStore()?.info.workflowExecution
  if (own === undefined) return
  const describe = () => describeExecution(temporal, own.workflowId)
  const found = await temporal.withDeadline(Date.now() + answerMs, describe).catch((error: unknown) => {
    throw translateTemporalError(error)
  })
  if (found !== undefined && found.runId !== own.runId)
    throw new AdjutantError(
      "engine_mismatch",
      `${own.workflowId} was begun by another Temporal than the one that answers: check TEMPORAL_ADDRESS`,
    )
}

/**
 * Refuses an activity of an engine that the store does not belong to, as one from which it was moved: it has tasks of sessions that have advanced since.
 * That engine tries the activity again. An engine that does not answer is not another one, but no run begins before it has.
 * @throws AdjutantError `engine_mismatch`; `temporal_unavailable` where a run would begin
 */
export const requireOwnEngine = async ({ engine, temporal }: EngineDependencies, name: string): Promise<void> => {
  if (name === comparesItself) return
  if (name === beginsRun) {
    await requireOwnExecution(temporal)
    await engine.verify(answerMs)
    return
  }
  try {
    await engine.verifyFromTimeToTime(answerMs)
  } catch (error) {
    if (isEngineMismatch(error)) throw error
  }
}
