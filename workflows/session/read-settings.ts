import { workflowInfo } from "@temporalio/workflow"
import { storeActivities } from "../store-activities.ts"
import { runScope } from "./run-scope.ts"
import { type SessionContext, warn } from "./session-context.ts"

/**
 * Reads the run's settings. `narrowedBy`: settings from later messages. Those that are narrower apply from now on, and so does the most that the
 * senders of the run's messages can approve.
 */
export const readSettings = async (context: SessionContext, narrowedBy?: string): Promise<void> => {
  const { state } = context
  const { followsHash, opened, reference, narrowedApproval: approval } = state.run
  const { firstExecutionRunId, runId } = workflowInfo()
  const settings = await storeActivities.openRun({
    ...runScope(context),
    alreadyOpen: opened,
    isNew: firstExecutionRunId === runId,
    ...(opened || state.waiting[0] === undefined ? {} : { instruction: state.waiting[0] }),
    modelOverride: state.modelOverride,
    ...(followsHash === undefined ? {} : { followsHash }),
    ...(narrowedBy === undefined ? {} : { narrowedBy }),
    ...(approval == null ? {} : { approval }),
  })
  context.settings = settings
  state.run.execution ??= settings.execution
  state.run.reference = { ...reference, snapshot_hash: settings.snapshotHash ?? reference.snapshot_hash }
  // Another message may have narrowed it further meanwhile.
  if (approval != null && state.run.narrowedApproval === approval) state.run.narrowedApproval = null
}

/**
 * Gives the run's settings the approval that the senders of its messages may give at most. Called right before the texts of messages are given to the
 * model: nothing is awaited in between, so every call that they lead to is judged by what their senders may do. And before the run decides on a
 * child's calls: those may follow from a message to the child.
 */
export const adoptApproval = async (context: SessionContext): Promise<void> => {
  const { run } = context.state
  while (run.narrowedApproval != null) {
    const before = run.reference.snapshot_hash
    await readSettings(context)
    if (run.reference.snapshot_hash !== before)
      warn(
        context,
        "a sender without approval rights sent a message; from now on, policy decides which calls need approval",
      )
  }
}

/** Applies the limits of an answer to the run that it continues. */
export const adoptNamedLimits = async (context: SessionContext): Promise<void> => {
  const { run } = context.state
  const { narrowedBy } = run
  if (narrowedBy === null || narrowedBy === undefined) return
  run.narrowedBy = null
  await readSettings(context, narrowedBy)
}
