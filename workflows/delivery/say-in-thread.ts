import { startDeliveries } from "./start-deliveries.ts"
import { hasThread } from "../messages/waiting-messages.ts"
import { record } from "../record-activities.ts"
import type { SessionContext } from "../session/session-context.ts"

/** Sends what the agent has said since the last time to its thread: its run stays open while its sub-agents work. */
export const sayInThread = async (context: SessionContext): Promise<void> => {
  const { state } = context
  const { run } = state
  const { saidSeq: afterSeq } = run
  if (!hasThread(context) || afterSeq === undefined || afterSeq >= state.headSeq) return
  const scope = { sessionId: state.sessionId, runId: run.reference.run_id }
  const { deliveries } = await record.sayInThread({ ...scope, afterSeq, headSeq: state.headSeq })
  run.saidSeq = state.headSeq
  await startDeliveries(deliveries)
}
