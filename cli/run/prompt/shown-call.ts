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

/** Returns a call as the prompt shows it. A preview that is longer than the screen is cut, with the key that shows the rest. */
export const showCall = (call: PendingToolCall, rows: number, paint: Paint): ShownCall => {
  const owner = call.task_id === undefined ? "" : `, task ${call.task_id}`
  const whole = pendingCallLines(call, owner, paint)
  const most = Math.max(leastRows, rows - spareRows)
  if (whole.length <= most) return { whole, shown: whole }
  const rest = whole.length - most
  return { whole, shown: [...whole.slice(0, most), paint.dim(`  … ${rest} more lines: d shows them all`)] }
}
