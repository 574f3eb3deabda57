import type { ChildState } from "../../domain/limits/child-state.ts"
import { toUsage } from "../../domain/limits/usage-totals.ts"
import { finalStatusOf } from "../../domain/run/final-status-of.ts"
import { handleQuery } from "../messages/described-handlers.ts"
import { pendingQuery, statusQuery, type TreeAnswer, treeQuery, usageQuery } from "../messages/messages.ts"
import type { SessionContext } from "../session/session-context.ts"
import { modelInUse } from "../session/model-in-use.ts"

/** The child's own workflow answers for its children. */
const childAnswer = ({ id, status, stopReason }: ChildState): TreeAnswer => ({
  session_id: id,
  status: status === "ended" ? finalStatusOf(stopReason ?? "error") : status,
  children: [],
})

/** Registers the queries. They work at any time, also for a closed session while Temporal keeps its history. No answer contains the transcript. */
export const registerQueries = (context: SessionContext): void => {
  const { state } = context
  handleQuery(statusQuery, () => ({
    session_id: state.sessionId,
    run_id: state.run.reference.run_id,
    status: context.status,
    checkpoint_id: state.run.pause?.checkpointId ?? null,
    steps_taken: state.run.stepsTaken,
    model: modelInUse(context),
  }))
  handleQuery(pendingQuery, () => {
    const { pause } = state.run
    const pending = pause?.calls.filter((call) => !Object.hasOwn(pause.decided, call.id)) ?? []
    return { run_id: state.run.reference.run_id, checkpoint_id: pause?.checkpointId ?? null, pending }
  })
  handleQuery(usageQuery, () => toUsage(state.run.usage))
  handleQuery(treeQuery, () => ({
    session_id: state.sessionId,
    status: context.status,
    children: state.run.children.map(childAnswer),
  }))
}
