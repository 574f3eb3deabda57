import type { PendingToolCall } from "../../contracts/approval/pause.ts"
import { noticesOf, previewLines } from "../../domain/preview/preview-lines.ts"
import { rejectCommand, resumingShellCommand } from "../../domain/approval/resume-command.ts"
import type { PendingApproval } from "../../sessions/pauses/approval.ts"
import { withWords } from "../program/place-flags.ts"
import { noPaint, type Paint } from "../terminal/paint.ts"
import { elapsedText } from "./figures.ts"
import { decidedText, oneLine, plainText } from "../terminal/plain-text.ts"

/** Returns a line of a preview in the colours of a diff; what to notice is yellow. */
const paintedLine = (line: string, isDiff: boolean, paint: Paint): string => {
  if (!isDiff) return line
  if (/^(\+\+\+|---) /.test(line)) return paint.bold(line)
  if (line.startsWith("@@")) return paint.cyan(line)
  if (line.startsWith("+")) return paint.green(line)
  return line.startsWith("-") ? paint.red(line) : line
}

/** Returns a pending call: its summary, id and owner on one line, and what its preview shows below. */
export const pendingCallLines = (
  { id, preview }: PendingToolCall,
  owner = "",
  paint: Paint = noPaint,
): readonly string[] => {
  const notices = noticesOf(preview).length
  return [
    `${paint.bold(oneLine(preview.summary, 300))}  (${oneLine(decidedText(id), 200)}${owner})`,
    ...previewLines(preview).map((line, index) => {
      const plain = plainText(line)
      return `  ${index < notices ? paint.yellow(plain) : paintedLine(plain, preview.diff !== undefined, paint)}`
    }),
  ]
}

export interface ApprovalTextOptions {
  /** In milliseconds. */
  readonly now: number
  readonly paint?: Paint
  /** The words with which the commands find the task. */
  readonly place?: readonly string[]
}

/** Returns one pause with its message, its calls and the commands that answer it. */
export const approvalText = (
  approval: PendingApproval,
  { now, paint = noPaint, place = [] }: ApprovalTextOptions,
): string => {
  const title = approval.title === null ? "" : ` · ${oneLine(decidedText(approval.title), 80)}`
  const head = `${approval.session_id} · ${approval.agent}${title} · waiting for ${elapsedText(approval.opened_at, now)}`
  const message = decidedText(approval.message).trim()
  const calls = approval.pending.flatMap((call) => pendingCallLines(call, "", paint).map((line) => `  ${line}`))
  const { checkpoint_id: checkpointId, pending, type } = approval
  const resume = decidedText(withWords(resumingShellCommand({ checkpointId, calls: pending }), place))
  const answers =
    type === "input_required"
      ? [`  Answer:   ${resume}`]
      : [`  Approve:  ${resume}`, `  Reject:   ${withWords(rejectCommand(checkpointId), place)}`]
  const cut = pending.some(({ preview }) => preview.is_cut === true)
    ? [`  Review:   ${withWords(`adjutant approvals --root ${approval.session_id} --whole`, place)}`]
    : []
  const messageLines = message === "" ? [] : message.split("\n").map((line) => `  ${line}`)
  return [head, ...messageLines, ...calls, ...cut, ...answers].join("\n")
}
