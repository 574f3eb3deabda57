import type { PendingToolCall } from "../../contracts/approval/pause.ts"
import { previewLines } from "../../domain/preview/preview-lines.ts"
import type { Approval } from "../../sessions/decide/approval.ts"
import { elapsedText } from "./figures.ts"
import { decidedText, oneLine, plainText } from "./plain-text.ts"

/** Returns a pending call: its summary, id and owner on one line, and what its preview shows below. */
export const pendingCallLines = ({ id, preview }: PendingToolCall, owner = ""): readonly string[] => [
  `${oneLine(preview.summary, 300)}  (${oneLine(decidedText(id), 200)}${owner})`,
  ...previewLines(preview).map((line) => `  ${plainText(line)}`),
]

/** Returns one pause with its message, its calls and the commands that answer it. `now` in milliseconds. */
export const approvalText = (approval: Approval, now: number): string => {
  const title = approval.title === null ? "" : ` · ${oneLine(decidedText(approval.title), 80)}`
  const head = `${approval.session_id} · ${approval.agent}${title} · waiting for ${elapsedText(approval.opened_at, now)}`
  const message = decidedText(approval.message).trim()
  const calls = approval.pending.flatMap((call) => pendingCallLines(call).map((line) => `  ${line}`))
  const resume = `adjutant run -c ${approval.checkpoint_id}`
  const answers =
    approval.type === "input_required"
      ? [`  Answer:   ${resume} "<your input>"`]
      : [`  Approve:  ${resume} --approve-all`, `  Reject:   ${resume} --reject-all`]
  const messageLines = message === "" ? [] : message.split("\n").map((line) => `  ${line}`)
  return [head, ...messageLines, ...calls, ...answers].join("\n")
}
