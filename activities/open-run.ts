import type { AgentDependencies } from "./agent-dependencies.ts"
import { ApplicationFailure } from "@temporalio/activity"
import type { RunSnapshot } from "../contracts/run-snapshot.ts"
import { hookEventOf } from "../domain/hook-event.ts"
import type { RecordActivities } from "./agent-activities.ts"

/** Ordinals of the events that record activities write themselves; the workflow's own count up from 0. */
export const runStartedOrdinal = -1
export const runFinishedOrdinal = -2
/** Of a step's calls; odd ones below are its usage. */
export const proposedOrdinal = (step: number): number => -1_000 - step * 2
export const pauseOrdinal = (pause: number): number => -1_000_000 - pause

/** Marks the run as running and answers what the workflow has to know of its snapshot. */
export const createOpenRun =
  (
    { store }: Pick<AgentDependencies, "store">,
    snapshotOf: (hash: string) => Promise<RunSnapshot>,
  ): RecordActivities["openRun"] =>
  async (scope) => {
    const snapshot = await snapshotOf(scope.snapshotHash)
    const session = await store.sessions.get(scope.sessionId)
    if (session === undefined)
      throw ApplicationFailure.nonRetryable(`session ${scope.sessionId} is not in the store`, "session_not_found")
    if (!scope.alreadyOpen) await begin(store, scope, snapshot)
    const runs = await store.runs.list(scope.sessionId)
    const earlier = runs.filter((run) => run.runId !== scope.runId)
    return {
      headSeq: session.headSeq,
      stepsBefore: earlier.reduce((sum, run) => sum + run.stepsTaken, 0),
      model: snapshot.model,
      modelNames: Object.keys(snapshot.models),
      maxSteps: snapshot.limits.maxSteps,
      timeoutMs: snapshot.limits.timeoutSeconds * 1_000,
      budgetMicroUsd: snapshot.limits.budgetMicroUsd,
      budgetTokens: snapshot.limits.budgetTokens,
      pauseOnText: snapshot.pauseOnText,
      type: snapshot.type,
      executionTimeoutMs: snapshot.execution.type === "llm" ? 0 : snapshot.execution.timeoutMs,
      hasBeforeHooks: (snapshot.hooks[hookEventOf(snapshot.type, "before")] ?? []).length > 0,
      hasAfterHooks: (snapshot.hooks[hookEventOf(snapshot.type, "after")] ?? []).length > 0,
      maxChildren: snapshot.subagents.maxChildrenPerAgent,
      laneCapacity: session.depth === 0 ? 0 : snapshot.subagents.maxConcurrent,
      timing: snapshot.timing,
    }
  }

const begin = async (
  store: AgentDependencies["store"],
  scope: { readonly sessionId: string; readonly runId: string; readonly snapshotHash: string },
  snapshot: RunSnapshot,
): Promise<void> => {
  await store.runs.create(scope)
  await store.runs.patch(scope.runId, { status: "running", startedAt: new Date().toISOString() })
  await store.sessions.patch(scope.sessionId, {
    status: "running",
    runId: scope.runId,
    stopReason: null,
    finalMessage: null,
    error: null,
    model: snapshot.model,
  })
  await store.events.append(scope.sessionId, [
    {
      type: "run-started",
      runId: scope.runId,
      ordinal: runStartedOrdinal,
      data: { agent: snapshot.agent, model: snapshot.model },
    },
  ])
}
