import type { Client } from "@temporalio/client"
import type { LanePlace } from "../../domain/lane/lane-queue.ts"
import { describeExecution } from "../../engine/describe-execution.ts"

/** Holders that one query names. */
const holdersPerQuery = 50

const holderKey = ({ workflowId, runId }: { readonly workflowId: string; readonly runId: string }): string =>
  `${workflowId} ${runId}`

/** Ids that need no escaping in a query; the others are described one by one. */
const isPlain = ({ workflowId }: LanePlace): boolean => /^[\w./-]+$/.test(workflowId)

const listRunning = async (temporal: Client, holders: readonly LanePlace[]): Promise<ReadonlySet<string>> => {
  const running = new Set<string>()
  const plain = holders.filter(isPlain)
  for (let start = 0; start < plain.length; start += holdersPerQuery) {
    const ids = plain.slice(start, start + holdersPerQuery).map(({ workflowId }) => `"${workflowId}"`)
    const query = `WorkflowId IN (${ids.join(", ")}) AND ExecutionStatus = "Running"`
    for await (const execution of temporal.workflow.list({ query })) running.add(holderKey(execution))
  }
  return running
}

/** An execution that continued as new is the same holder; one that was started later under the same id is not. */
const hasEnded = async (temporal: Client, { workflowId, runId }: LanePlace): Promise<boolean> => {
  const execution = await describeExecution(temporal, workflowId)
  if (execution === undefined) return false
  const { status, firstRunId = "" } = execution
  return status !== "running" || (firstRunId !== "" && firstRunId !== runId)
}

/**
 * Returns the holders whose execution has ended. One query of the visibility store finds those that run; only holders that it does not list as they
 * were started are described, so that neither a late visibility store nor continue-as-new takes a slot away.
 */
export const findEndedHolders = async (
  temporal: Client,
  holders: readonly LanePlace[],
): Promise<readonly LanePlace[]> => {
  const running = await listRunning(temporal, holders).catch((): ReadonlySet<string> => new Set())
  const ended: LanePlace[] = []
  for (const holder of holders)
    if (!running.has(holderKey(holder)) && (await hasEnded(temporal, holder))) ended.push(holder)
  return ended
}
