import type { OutcomeDocument } from "../../contracts/session/outcome-document.ts"
import type { StopReason } from "../../contracts/status.ts"
import { assertNever } from "../../domain/assert-never.ts"
import { toUsage } from "../../domain/limits/usage-totals.ts"
import type { RunRow, SessionRow, Store } from "../../store/store.ts"
import { readResult } from "../../domain/transcript/read-result.ts"
import { readLastText } from "../rows/read-last-text.ts"
import { warningsOf } from "../rows/run-warnings.ts"
import { resumeIdOf } from "../pauses/resume-id.ts"

/** Returns what a person can do about a run that ended for this reason, if the run itself recorded no message. */
const adviceFor = (stopReason: Exclude<StopReason, "completed">): string => {
  switch (stopReason) {
    case "max_steps":
      return "the run reached its limit of steps"
    case "budget":
      return "the run's budget is used up"
    case "timeout":
      return "the run reached its time limit"
    case "cancelled":
      return "the run was cancelled"
    case "terminated":
      return "the session was terminated in Temporal: send a message to continue from its transcript"
    case "refusal":
      return "the model refused to continue: change the instruction, or use another model"
    case "error":
      return "the run failed: its transcript shows how far it came"
    default:
      return assertNever(stopReason)
  }
}

const documentError = (
  stopReason: Exclude<StopReason, "completed">,
  recorded: RunRow["error"],
): { code: string; message: string } => ({
  code: stopReason === "error" ? (recorded?.code ?? "run_failed") : stopReason,
  message: recorded?.message ?? adviceFor(stopReason),
})

/** Returns the result as a value, if the run has an output schema, which it validates against. */
const resultOf = async (
  { snapshots }: Pick<Store, "snapshots">,
  run: RunRow | undefined,
  text: string,
): Promise<{ readonly result?: unknown }> => {
  const snapshot = run === undefined ? undefined : await snapshots.get(run.snapshotHash)
  if (snapshot?.outputSchema === undefined) return {}
  const [result] = readResult(text).candidates
  return { result }
}

/** Returns the outcome document of a session whose latest run has ended. Steps and usage are the run's. */
export const finalDocument = async (
  store: Pick<Store, "runs" | "messages" | "pauses" | "usage" | "snapshots">,
  row: SessionRow,
): Promise<OutcomeDocument> => {
  const run = row.runId === null ? undefined : await store.runs.get(row.runId)
  const runId = run?.runId ?? row.runId
  const totals = await store.usage.total({ sessionId: row.id, ...(runId === null ? {} : { runId }) })
  const stored = (run ?? row).finalMessage
  const text =
    stored ?? (runId === null ? "" : await readLastText(store, { sessionId: row.id, runId, headSeq: row.headSeq }))
  const warnings = warningsOf(row)
  const common = {
    task_id: row.id,
    session_id: row.id,
    steps_taken: (run ?? row).stepsTaken,
    usage: toUsage(totals),
    ...(warnings.length === 0 ? {} : { warnings: [...warnings] }),
  }
  if (row.status === "completed") {
    const checkpoint_id = runId === null ? row.id : await resumeIdOf(store, { runId, sessionId: row.id })
    return {
      outcome: "completed",
      checkpoint_id,
      final_message: text,
      ...(await resultOf(store, run, text)),
      ...common,
    }
  }
  const stopReason = row.stopReason === null || row.stopReason === "completed" ? "error" : row.stopReason
  return {
    outcome: "failed",
    stop_reason: stopReason,
    error: documentError(stopReason, run?.error ?? row.error),
    ...(text === "" ? {} : { partial_output: text }),
    ...common,
  }
}
