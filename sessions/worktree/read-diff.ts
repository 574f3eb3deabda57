import { isUtf8 } from "node:buffer"
import { AdjutantError } from "../../contracts/adjutant-error.ts"
import type { SessionDiff } from "../../contracts/delegation/worktree.ts"
import { changesLine, noWorktreeText } from "../../domain/delegation/text/worktree-changes.ts"
import type { Redact } from "../../domain/text/redact.ts"
import type { SessionsContext } from "../sessions-context.ts"
import { requireSession } from "../view/require-session.ts"
import { worktreeView } from "./worktree-view.ts"

/** Returns a patch without known secrets. One with bytes that are no text keeps them. */
const shownPatch = (patch: Buffer, redact: Redact): Pick<SessionDiff, "patch" | "encoding"> =>
  isUtf8(patch)
    ? { patch: redact(patch.toString("utf8")), encoding: "utf-8" }
    : { patch: Buffer.from(redact(patch.toString("latin1")), "latin1").toString("base64"), encoding: "base64" }

/**
 * Returns what a session changed in its worktree, whole unless it was merged.
 * @throws AdjutantError `session_not_found`; `invalid_argument` if it has no worktree, works in it, or the changes could not be read
 */
export const readDiff = async (
  { store, redact }: Pick<SessionsContext, "store" | "redact">,
  sessionId: string,
): Promise<SessionDiff> => {
  const { id } = await requireSession(store, sessionId)
  const row = await store.worktrees.get(id)
  if (row === undefined) throw new AdjutantError("invalid_argument", noWorktreeText(id))
  const { status, tree } = row
  const view = worktreeView(row)
  if (status === "open" || status === "failed")
    throw new AdjutantError("invalid_argument", `there is no diff of ${id}: ${changesLine(view)}`)
  const patch = status === "changed" ? await store.worktrees.readPatch(id) : undefined
  const shown = patch === undefined ? { patch: view.diff ?? "", encoding: "utf-8" as const } : shownPatch(patch, redact)
  // After a merge, bytes that are no text have been replaced.
  const isExact = row.details?.is_cut !== true && !shown.patch.includes("\ufffd")
  return { session_id: id, status, tree, ...shown, is_whole: patch !== undefined || isExact }
}
