import { ActivityFailure, isCancellation } from "@temporalio/workflow"
import type { CheckedEdit } from "../../domain/calls/tool-batch.ts"
import { editedCalls, withEditVerdict } from "../../domain/calls/tool-batch.ts"
import { editOptions } from "../activity-options.ts"
import { runScope } from "../session/run-scope.ts"
import type { SessionContext } from "../session/session-context.ts"
import { executeOnWorker } from "../placement/execute-on-worker.ts"

/** Checks the new arguments that approvers gave to calls, on a worker that knows the tools. A call that may not run with them is asked about again. */
export const checkEdits = async (context: SessionContext, checkpointId: string): Promise<void> => {
  const { run } = context.state
  const { settings } = context
  const edited = run.batch === null ? [] : editedCalls(run.batch)
  if (edited.length === 0 || run.batch === null || settings === null) return
  const input = {
    ...runScope(context),
    assistantSeq: run.batch.assistantSeq,
    checkpointId,
    calls: edited.map(({ id, resultSeq, state, isProtected = false, isEdited }) => ({
      ...{ id, resultSeq, edit: state.edit, isProtected },
      ...(isEdited === true ? { isEdited } : {}),
    })),
  }
  const offer = {
    options: editOptions(settings.timing),
    summary: `check of ${edited.length === 1 ? "one edited call" : `${edited.length} edited calls`}`,
  }
  for (const checked of await verdictsOf(
    () => executeOnWorker(context, offer, (activities) => activities.checkEdits(input)),
    edited.map(({ id }) => id),
  ))
    if (run.batch !== null) run.batch = withEditVerdict(run.batch, checked)
}

const verdictsOf = async (
  check: () => Promise<readonly CheckedEdit[]>,
  ids: readonly string[],
): Promise<readonly CheckedEdit[]> => {
  try {
    return await check()
  } catch (error) {
    if (isCancellation(error) || !(error instanceof ActivityFailure)) throw error
    const reason = `the new arguments could not be checked: ${error.cause?.message ?? error.message}`
    return ids.map((id) => ({ id, verdict: { kind: "refuse", reason } }))
  }
}
