import { patched } from "@temporalio/workflow"
import { record } from "../record-activities.ts"
import type { SessionContext } from "./session-context.ts"

/** Records who signalled, wherever the session was then. The senders are in this execution's history; a later execution has another one. */
export const auditOperators = async (context: SessionContext): Promise<void> => {
  const { state } = context
  if (state.operatorSignals === state.auditedSignals) return
  state.auditedSignals = state.operatorSignals
  await record.auditOperatorSignals({ sessionId: state.sessionId, runId: state.run.reference.run_id })
}

/** Records operators' signals outside of pauses, where older versions of this code recorded nothing. */
export const auditOperatorsLate = async (context: SessionContext): Promise<void> => {
  const { state } = context
  if (state.operatorSignals === state.auditedSignals) return
  if (patched("audit-outside-pauses")) await auditOperators(context)
  else state.auditedSignals = state.operatorSignals
}

/** Records everything that is not recorded yet, before this execution or its run ends. */
export const auditRemaining = async (context: SessionContext): Promise<void> => {
  const { state } = context
  if (state.hasTypedUpdates) state.auditedSignals = -1
  state.hasTypedUpdates = false
  await auditOperatorsLate(context)
}
