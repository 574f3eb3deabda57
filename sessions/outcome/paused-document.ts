import type { OutcomeDocument } from "../../contracts/session/outcome-document.ts"
import type { PauseReason } from "../../contracts/approval/pause.ts"
import { resumingShellCommand } from "../../domain/approval/resume-command.ts"
import { toUsage } from "../../domain/limits/usage-totals.ts"
import type { PauseRow, SessionRow, Store } from "../../store/store.ts"
import { callsWithOwner } from "../pauses/approvals.ts"
import { shownCall } from "../../domain/preview/shown-call.ts"
import { nameInTree, treeCheckpointOf } from "../pauses/tree-pause.ts"
import { pauseReasonOf } from "../view/session-view.ts"

/** Returns the reason of a tree's pause: each call and each question has its owner. */
const treeReason = (pauses: readonly PauseRow[]): PauseReason => {
  const asking = pauses.filter(({ type }) => type === "input_required")
  const questions = asking.map(({ sessionId, checkpointId, message }) => ({
    ...{ task_id: sessionId, checkpoint_id: checkpointId, agent_message: message },
  }))
  const shown = questions.length === 0 ? {} : { questions }
  return asking.length === pauses.length
    ? { type: "input_required", ...shown }
    : { type: "tool_approval_required", pending_tool_calls: pauses.flatMap(callsWithOwner), ...shown }
}

/** Returns the command that resumes a tree: by its own checkpoint where that means one thing, else by that of the first question. */
const treeHint = (checkpointId: string, pauses: readonly PauseRow[]): string => {
  const calls = pauses.flatMap((pause) =>
    pause.calls.map((call) => ({ ...shownCall(call), id: nameInTree(pause, call.id) })),
  )
  const [first, ...others] = pauses
  return calls.length > 0 || others.length === 0 || first === undefined
    ? resumingShellCommand({ checkpointId, calls })
    : resumingShellCommand({ checkpointId: first.checkpointId, calls })
}

/** Returns the outcome document of a paused session: with its own ids, and everything pending in its tree (`pauses`, its own first). */
export const pausedDocument = async (
  store: Pick<Store, "runs" | "pauses" | "usage">,
  row: SessionRow,
  pauses: readonly [PauseRow, ...PauseRow[]],
): Promise<OutcomeDocument> => {
  const [first] = pauses
  const own = pauses.find((pause) => pause.sessionId === row.id)
  const runId = own?.runId ?? row.runId
  const run = runId === null ? undefined : await store.runs.get(runId)
  const totals = await store.usage.total({ sessionId: row.id, ...(runId === null ? {} : { runId }) })
  const isTree = own === undefined || pauses.length > 1
  const checkpointId = isTree ? treeCheckpointOf(row.id, pauses) : own.checkpointId
  return {
    outcome: "paused",
    task_id: row.id,
    checkpoint_id: checkpointId,
    session_id: row.id,
    pause_reason: isTree ? treeReason(pauses) : pauseReasonOf(own),
    agent_message: (own ?? first).message,
    resume_hint: isTree
      ? treeHint(checkpointId, pauses)
      : resumingShellCommand({ checkpointId, calls: own.calls.map(shownCall) }),
    steps_taken: (run ?? row).stepsTaken,
    usage: toUsage(totals),
  }
}
