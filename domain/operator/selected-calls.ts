import { namedApprovalText } from "../calls/apply-decision.ts"
import { coveredText } from "./covered-text.ts"
import type { BatchCall } from "../calls/tool-batch.ts"
import type { CallSelection } from "./operator-argument.ts"

/** The pending calls that a signal decides, and those that it leaves pending; or why it decides none. */
export type SelectedCalls =
  | { readonly ids: readonly string[]; readonly left: readonly string[] }
  | { readonly problem: string }

/** Returns the calls that a signal sent by hand decides: of all, none that a rule covers, and none that must be approved by its id. */
export const selectedCalls = (
  name: "approve" | "reject",
  selection: CallSelection,
  calls: readonly Pick<BatchCall, "id" | "isProtected" | "isCovered">[],
): SelectedCalls => {
  const pending = calls.map(({ id }) => id)
  const covered = calls.filter(({ isCovered }) => isCovered === true).map(({ id }) => id)
  const approvable = calls
    .filter(({ isProtected, isCovered }) => isCovered !== true && (name === "reject" || isProtected !== true))
    .map(({ id }) => id)
  const ids = selection === "all" ? approvable : selection
  const named = ids.length === 0 ? covered : ids.filter((id) => covered.includes(id))
  if (named.length > 0) return { problem: coveredText(named) }
  if (pending.length > 0 && ids.length === 0) return { problem: namedApprovalText(pending) }
  const unknown = ids.filter((id) => !pending.includes(id))
  if (unknown.length > 0) return { problem: `no call ${unknown.join(", ")} waits here` }
  return { ids, left: selection === "all" ? pending.filter((id) => !approvable.includes(id)) : [] }
}
