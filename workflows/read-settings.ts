import { patched, proxyLocalActivities } from "@temporalio/workflow"
import type { RecordActivities } from "../activities/agent-activities.ts"
import { recordOptions } from "./activity-options.ts"
import type { SessionContext } from "./session-context.ts"

const record = proxyLocalActivities<RecordActivities>(recordOptions)

/** Reads what the run lives by. `narrowedBy`: settings that were named meanwhile; what of them is narrower holds from now on. */
export const readSettings = async (context: SessionContext, narrowedBy?: string): Promise<void> => {
  const { state } = context
  const { followsHash, opened, reference } = state.run
  const settings = await record.openRun({
    sessionId: state.sessionId,
    runId: reference.run_id,
    snapshotHash: reference.snapshot_hash,
    alreadyOpen: opened,
    modelOverride: state.modelOverride,
    ...(followsHash === undefined ? {} : { followsHash }),
    ...(narrowedBy === undefined ? {} : { narrowedBy }),
  })
  context.settings = settings
  state.run.reference = { ...reference, snapshot_hash: settings.snapshotHash ?? reference.snapshot_hash }
}

/** An answer may name limits: the run that it lets go on keeps to them, too. */
export const adoptNamedLimits = async (context: SessionContext): Promise<void> => {
  const { run } = context.state
  const { narrowedBy } = run
  if (narrowedBy === null || narrowedBy === undefined) return
  run.narrowedBy = null
  if (patched("limits-of-answers")) await readSettings(context, narrowedBy)
}
