import type { OutcomeDocument } from "../../contracts/outcome-document.ts"
import type { PauseReason } from "../../contracts/approval/pause.ts"
import { resumeCommand } from "../../domain/approval/resume-command.ts"
import { toUsage } from "../../domain/limits/usage-totals.ts"
import type { PauseRow, SessionRow, Store } from "../../store/store.ts"
import { resumeIdOf } from "./resume-id.ts"
import { callsWithOwner } from "../decide/approvals.ts"
import { shownCall } from "../decide/shown-call.ts"
import { pauseReasonOf } from "../view/session-view.ts"

/** Returns the reason of a pause. In a tree's pause, each call has its owner. */
const reasonFor = (row: SessionRow, pauses: readonly PauseRow[]): PauseReason => {
  const [first] = pauses
  if (first !== undefined && pauses.length === 1 && first.sessionId === row.id) return pauseReasonOf(first)
  if (pauses.every((pause) => pause.type === "input_required")) return { type: "input_required" }
  return { type: "tool_approval_required", pending_tool_calls: pauses.flatMap(callsWithOwner) }
}

/** Returns the outcome document of a paused session: with its own ids, and everything pending in its tree (`pauses`, its own first). */
export const pausedDocument = async (
  store: Pick<Store, "runs" | "pauses" | "usage">,
  row: SessionRow,
  pauses: readonly [PauseRow, ...PauseRow[]],
): Promise<OutcomeDocument> => {
  const [first] = pauses
  const { checkpointId, calls } = pauses.find((pause) => pause.calls.length > 0) ?? first
  const own = pauses.find((pause) => pause.sessionId === row.id)
  const runId = own?.runId ?? row.runId
  const run = runId === null ? undefined : await store.runs.get(runId)
  const totals = await store.usage.total({ sessionId: row.id, ...(runId === null ? {} : { runId }) })
  const checkpoint =
    own?.checkpointId ?? (runId === null ? row.id : await resumeIdOf(store, { runId, sessionId: row.id }))
  return {
    outcome: "paused",
    task_id: row.id,
    checkpoint_id: checkpoint,
    session_id: row.id,
    pause_reason: reasonFor(row, pauses),
    agent_message: (own ?? first).message,
    resume_hint: resumeCommand({ checkpointId, calls: calls.map(shownCall) }),
    steps_taken: (run ?? row).stepsTaken,
    usage: toUsage(totals),
  }
}
