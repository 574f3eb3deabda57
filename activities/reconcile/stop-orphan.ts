import { sessionIdOf, sessionWorkflowId } from "../../domain/engine/engine-names.ts"
import { isFinal } from "../../domain/run/is-final.ts"
import { type EngineExecution, tryDescribeExecution } from "../../engine/describe-execution.ts"
import type { AgentDependencies } from "../agent-dependencies.ts"
import type { JobRun } from "./job-run.ts"

export type OrphanDependencies = Pick<AgentDependencies, "store" | "temporal" | "engine">

type ParentLookup = (workflowId: string) => Promise<EngineExecution | undefined>

/**
 * Returns whether no execution of an open child's parent counts it among its children: the parent was reset to a step before the spawn, or is gone
 * without having cancelled it.
 */
export const isOrphan = async (
  workflowId: string,
  child: EngineExecution,
  parentOf: ParentLookup,
): Promise<boolean> => {
  if (child.status !== "running" || child.parentWorkflowId === null) return false
  const parent = await parentOf(child.parentWorkflowId)
  if (parent === undefined) return false
  const started = parent.status === "running" ? parent.children.get(workflowId) : undefined
  // The parent keeps the run id with which the child started; the child may have continued as new since.
  return started === undefined || (started !== "" && started !== child.runId && started !== child.firstRunId)
}

/** Asks the engine each time. A parent that it does not know can be missing, not gone, for as long as it is open in the store. */
const createParentLookup =
  ({ store, temporal }: OrphanDependencies): ParentLookup =>
  async (workflowId) => {
    const parent = await tryDescribeExecution(temporal, workflowId)
    if (parent?.status !== "not_found") return parent
    const row = await store.sessions.get(sessionIdOf(workflowId) ?? "")
    return row === undefined || isFinal(row.status) ? parent : undefined
  }

export type Examined = "orphan" | "suspect" | "kept"

/** Describes the child and its parent again. Only what an earlier pass saw too is cancelled. */
export const stopOrphan = async (
  deps: OrphanDependencies,
  run: JobRun,
  { id, sightings }: { readonly id: string; readonly sightings: number },
): Promise<Examined> => {
  const { store, temporal, engine } = deps
  const workflowId = sessionWorkflowId(id)
  const child = await tryDescribeExecution(temporal, workflowId)
  if (child === undefined) return "kept"
  if (!(await isOrphan(workflowId, child, createParentLookup(deps)))) {
    if (sightings > 0 && !run.dryRun) await store.reconciler.clearOrphan(id)
    return "kept"
  }
  await engine.verify()
  const sighting = { executionId: child.runId, passId: run.passId }
  const times = run.dryRun ? sightings + 1 : await store.reconciler.noteOrphan(id, sighting)
  if (run.dryRun) run.plan({ id, action: times < 2 ? "check again whether it has a parent" : "cancel" })
  if (times < 2) return "suspect"
  if (!run.dryRun) {
    await temporal.workflow.getHandle(workflowId, child.runId).cancel()
    await store.reconciler.clearOrphan(id)
  }
  return "orphan"
}
