import type { PendingToolCall } from "../../../contracts/approval/pause.ts"
import type { Paint } from "../../terminal/paint.ts"
import { pendingCallLines } from "../../text/approval-text.ts"

/** Lines of the screen that stay free for the question and what is above the call. */
const spareRows = 8
const leastRows = 10

export interface ShownCall {
  /** Whole, for the pager. */
  readonly whole: readonly string[]
  /** As many lines as fit on the screen. */
  readonly shown: readonly string[]
}

/** Returns whether the lines of a call leave no room on the screen for the question. */
export const isLong = (lines: readonly string[], rows: number): boolean => lines.length > mostLines(rows)

const mostLines = (rows: number): number => Math.max(leastRows, rows - spareRows)

/** Returns a call as the prompt shows it. A preview that is longer than the screen is cut, with the key that shows the rest, as for one of which the pause has the beginning. */
export const showCall = (call: PendingToolCall, rows: number, paint: Paint): ShownCall => {
  const owner = call.task_id === undefined ? "" : `, task ${call.task_id}`
  const whole = pendingCallLines(call, owner, paint)
  const isCut = call.preview.is_cut === true
  if (!isLong(whole, rows)) return { whole, shown: isCut ? [...whole, paint.dim("  d shows all of it")] : whole }
  const most = mostLines(rows)
  const rest = isCut ? "more: d shows all of it" : `${whole.length - most} more lines: d shows them all`
  return { whole, shown: [...whole.slice(0, most), paint.dim(`  … ${rest}`)] }
}
