import type { NotifyDestination } from "../../contracts/config/notify.ts"
import { resumingShellCommand } from "../../domain/approval/resume-command.ts"
import type { Notice, NoticeCall } from "../../domain/notify/notice.ts"
import { ruleText } from "../../domain/people/approval-rule.ts"
import { noticesOf } from "../../domain/preview/preview-lines.ts"
import { startOf } from "../../domain/text/foreign/well-formed.ts"
import { titleOf } from "../../domain/session/title-of.ts"
import { visible } from "../../domain/text/visible.ts"
import { finalMessageOf } from "../../domain/transcript/final-message-of.ts"
import type { PauseRow, RunRow, SessionRow, Store } from "../../store/store.ts"
import { signLink } from "../pauses/links/issue-link.ts"

const maxLines = 40
const maxText = 2_500
const maxQuestion = 8_000

const lines = (text: string): string => {
  const all = visible(text).trimEnd().split("\n")
  const shown = startOf(all.slice(0, maxLines).join("\n"), maxText)
  return all.length > maxLines || text.length > maxText ? `${shown}\n… (cut)` : shown
}

const noticeCall = ({ id, preview }: PauseRow["calls"][number]): NoticeCall => ({
  id,
  summary: visible(preview.summary),
  text: lines(preview.diff ?? preview.text ?? ""),
  flags: noticesOf(preview).map((flag) => visible(flag)),
})

const taskName = ({ agent, id, title }: SessionRow): string =>
  `${agent} (${id})${title === null ? "" : ` "${visible(titleOf(title))}"`}`

const rulesOf = (calls: PauseRow["calls"]): string | undefined => {
  const rules = calls.flatMap(({ id, rule }) => (rule === undefined ? [] : [`${id}: ${ruleText(rule)}`]))
  return rules.length === 0 ? undefined : rules.join("\n")
}

/** Returns the person for whom alone a destination is; only there, a message contains what decides. */
const personOfDestination = (destination: NotifyDestination): string | undefined =>
  "person" in destination ? destination.person : undefined

/** Returns the message about a pause. */
export const pauseNotice = async (
  store: Pick<Store, "sessions" | "pauses" | "secret">,
  row: SessionRow,
  {
    pause,
    destination,
    publicUrl,
  }: { readonly pause: PauseRow; readonly destination: NotifyDestination; readonly publicUrl: string | undefined },
): Promise<Notice> => {
  const { checkpointId, calls, message, type } = pause
  const asks = type === "input_required"
  const person = personOfDestination(destination)
  const word = person === undefined ? undefined : (await signLink(store, { checkpointId, person })).token
  const what = calls.length === 1 ? (calls[0]?.name ?? "a call") : `${calls.length} calls`
  const rules = rulesOf(calls)
  return {
    kind: asks ? "question" : "approval",
    title: asks ? `${taskName(row)} asks a question` : `${taskName(row)} asks to approve ${visible(what)}`,
    task: { id: row.id, agent: row.agent },
    checkpointId,
    calls: calls.map(noticeCall),
    how: `To decide: ${resumingShellCommand({ checkpointId, calls: calls.map(({ id, isProtected }) => ({ id, ...(isProtected === true ? { protected: true as const } : {}) })) })}`,
    ...(message.trim() === "" ? {} : { text: startOf(visible(message), maxQuestion) }),
    ...(rules === undefined ? {} : { decidedBy: rules }),
    ...(word === undefined
      ? {}
      : { word, ...(publicUrl === undefined ? {} : { url: `${publicUrl}/v1/approvals/${word}` }) }),
  }
}

/** Returns the message about the end of a run. */
export const outcomeNotice = (row: SessionRow, run: RunRow, costUsd: number | null): Notice => {
  const isDone = run.status === "completed"
  const why = run.error === null ? (run.stopReason ?? run.status) : run.error.message
  const cost = costUsd === null ? "" : ` It cost $${costUsd.toFixed(4)}.`
  return {
    kind: isDone ? "finished" : "failed",
    title: `${taskName(row)} ${isDone ? "is done" : `failed: ${visible(why)}`}`,
    task: { id: row.id, agent: row.agent },
    calls: [],
    // The title can be cut.
    text: [...(isDone ? [] : [visible(why)]), lines(finalMessageOf(run) ?? "")]
      .filter((part) => part !== "")
      .join("\n\n"),
    how: `More: adjutant info ${row.id}.${cost}`,
  }
}
