import { boundPreview, previewLimit } from "../../domain/preview/bound-preview.ts"
import { pendingToolNames } from "../../domain/approval/resume-command.ts"
import { webhookHolder } from "../../domain/caller/caller-id.ts"
import { titleOf } from "../../domain/session/title-of.ts"
import { visible } from "../../domain/text/visible.ts"
import type { OutboundWebhook } from "../../contracts/http/outbound-webhook.ts"
import { runDurationMs } from "../../domain/delegation/task/run-duration.ts"
import { toUsage } from "../../domain/limits/usage-totals.ts"
import type { PauseRow, RunRow, SessionRow, Store } from "../../store/store.ts"
import { finalMessageOf } from "../../domain/transcript/final-message-of.ts"
import { signLink } from "../pauses/links/issue-link.ts"
import { shownCall } from "../../domain/preview/shown-call.ts"
import { sessionView, type ViewContext } from "../view/session-view.ts"
import { startOf } from "../../domain/text/foreign/well-formed.ts"

const maxText = 8_000

/** Returns one line that says which agent asks for what. */
const pauseSummary = (row: SessionRow, pause: PauseRow): string => {
  const title = row.title === null ? "" : ` "${visible(titleOf(row.title))}"`
  const who = `Agent ${row.agent} (${row.id})${title}`
  if (pause.type === "input_required") return `${who} asks for input.`
  const count = pause.calls.length
  return `${who} asks for approval of ${count === 1 ? "one call" : `${count} calls`}: ${pendingToolNames(pause.calls)}.`
}

const shortenValue = (value: unknown): unknown => {
  if (typeof value === "string") return value.length <= maxText ? value : `${startOf(value, maxText)}… (cut)`
  if (Array.isArray(value)) return value.map(shortenValue)
  return typeof value === "object" && value !== null ? shorten(value) : value
}

/** Cuts long texts in a value, since the receiver of a message may limit its size. */
const shorten = (value: object): Record<string, unknown> =>
  Object.fromEntries(Object.entries(value).map(([key, each]) => [key, shortenValue(each)]))

/** Returns the webhook body for the outcome of a run. */
export const resultBody = async (context: ViewContext, row: SessionRow, run: RunRow): Promise<OutboundWebhook> => {
  const nowMs = Date.now()
  return {
    type: "run-finished",
    session: await sessionView(context, row),
    result: {
      run_id: run.runId,
      status: run.status,
      stop_reason: run.stopReason ?? "error",
      final_message: finalMessageOf(run),
      error: run.error,
      steps_taken: run.stepsTaken,
      usage: toUsage(await context.store.usage.total({ sessionId: row.id, runId: run.runId })),
      duration_ms: runDurationMs(run, nowMs),
    },
    at: run.finishedAt ?? new Date(nowMs).toISOString(),
  }
}

/** Returns the webhook body for a pause: what is pending, and the links to decide it. */
export const pausedBody = async (
  context: ViewContext & { readonly store: Pick<Store, "sessions" | "secret"> },
  row: SessionRow,
  { pause, publicUrl }: { readonly pause: PauseRow; readonly publicUrl: string },
): Promise<OutboundWebhook> => {
  const { token, expiresAt } = await signLink(context.store, { checkpointId: pause.checkpointId, to: webhookHolder })
  const link = `${publicUrl}/v1/approvals/${token}`
  const asks = pause.type === "input_required"
  return {
    type: "run-paused",
    session: await sessionView(context, row),
    pause: {
      checkpoint_id: pause.checkpointId,
      type: pause.type,
      summary: pauseSummary(row, pause),
      message: pause.message,
      pending: pause.calls.map((call) => ({
        ...shownCall(call),
        arguments: shorten(call.arguments),
        preview: boundPreview(call.preview, Math.min(maxText, previewLimit(pause.calls.length))),
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
