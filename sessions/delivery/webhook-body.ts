import type { OutboundWebhook } from "../../contracts/http/outbound-webhook.ts"
import { toUsage } from "../../domain/limits/usage-totals.ts"
import type { PauseRow, RunRow, SessionRow, Store } from "../../store/store.ts"
import { finalMessageOf } from "../../domain/transcript/final-message-of.ts"
import { issueLink } from "../decide/links/issue-link.ts"
import { sessionView } from "../view/session-view.ts"
import { pauseSummary } from "./pause-summary.ts"
import { shortened } from "./shortened.ts"

/** How a run ended. */
export const resultBody = async (
  store: Pick<Store, "pauses" | "usage">,
  row: SessionRow,
  run: RunRow,
): Promise<OutboundWebhook> => {
  const finishedAt = run.finishedAt ?? new Date().toISOString()
  return {
    type: "run-finished",
    session: await sessionView(store, row),
    result: {
      run_id: run.runId,
      status: run.status,
      stop_reason: run.stopReason ?? "error",
      final_message: finalMessageOf(run),
      error: run.error,
      steps_taken: run.stepsTaken,
      usage: toUsage(await store.usage.total({ sessionId: row.id, runId: run.runId })),
      duration_ms: run.startedAt === null ? null : Math.max(0, Date.parse(finishedAt) - Date.parse(run.startedAt)),
    },
    at: finishedAt,
  }
}

/** What waits for a person, and the links by which one decides. */
export const pausedBody = async (
  store: Pick<Store, "sessions" | "pauses" | "usage" | "secret">,
  row: SessionRow,
  { pause, publicUrl }: { readonly pause: PauseRow; readonly publicUrl: string },
): Promise<OutboundWebhook> => {
  const { token, expiresAt } = await issueLink(store, { checkpointId: pause.checkpointId, to: "webhook" })
  const link = `${publicUrl}/v1/approvals/${token}`
  const asks = pause.type === "input_required"
  return {
    type: "run-paused",
    session: await sessionView(store, row),
    pause: {
      checkpoint_id: pause.checkpointId,
      type: pause.type,
      summary: pauseSummary(row, pause),
      message: pause.message,
      pending: pause.calls.map(({ id, name, arguments: args }) => ({
        id,
        name,
        arguments: shortened(args),
        session_id: row.id,
      })),
      approve_url: asks ? null : `${link}?action=accept`,
      reject_url: asks ? null : `${link}?action=reject`,
      answer_url: asks ? link : null,
      links_expire_at: expiresAt,
    },
    at: pause.openedAt,
  }
}
