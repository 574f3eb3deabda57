import { isUtf8 } from "node:buffer"
import { AdjutantError } from "../../contracts/adjutant-error.ts"
import type { SessionDiff } from "../../contracts/delegation/worktree.ts"
import { changesLine, noWorktreeText } from "../../domain/workspace/worktree/worktree-changes.ts"
import { redactDiff } from "../../domain/workspace/worktree/redact-diff.ts"
import { type Redact, redactionMark } from "../../domain/text/redact.ts"
import type { SessionsContext } from "../sessions-context.ts"
import { requireSession } from "../rows/require-session.ts"
import { worktreeView } from "./worktree-view.ts"

/** Returns a patch with bytes that are no text as a text with one character for each of them, and how to get the bytes of that text. */
const readBytes = (patch: Buffer) => {
  const lines = patch
    .toString("latin1")
    .split("\n")
    .map((line) => Buffer.from(line, "latin1"))
  const encodings = lines.map((line) => (isUtf8(line) ? "utf8" : "latin1"))
  return {
    text: lines.map((line, index) => line.toString(encodings[index])).join("\n"),
    bytesOf: (text: string): Buffer =>
      Buffer.concat(
        text.split("\n").map((line, index) => Buffer.from(index === 0 ? line : `\n${line}`, encodings[index])),
      ),
  }
}

/** Returns a patch without known secrets. One with bytes that are no text keeps them. */
const shownPatch = (patch: Buffer, redact: Redact): Pick<SessionDiff, "patch" | "encoding" | "is_redacted"> => {
  if (isUtf8(patch)) {
    const text = patch.toString("utf8")
    const clean = redactDiff(text, redact)
    return { patch: clean, encoding: "utf-8", is_redacted: clean !== text }
  }
  const { text, bytesOf } = readBytes(patch)
  const clean = redactDiff(text, redact)
  return { patch: bytesOf(clean).toString("base64"), encoding: "base64", is_redacted: clean !== text }
}

/** After a merge, only what people were shown is left. */
const keptPatch = (diff: string): Pick<SessionDiff, "patch" | "encoding" | "is_redacted"> => ({
  patch: diff,
  encoding: "utf-8",
  is_redacted: diff.includes(redactionMark),
})

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
  const shown = patch === undefined ? keptPatch(view.diff ?? "") : shownPatch(patch, redact)
  // After a merge, bytes that are no text have been replaced.
  const isExact = row.details?.is_cut !== true && !shown.patch.includes("\ufffd")
  return { session_id: id, status, tree, ...shown, is_whole: patch !== undefined || isExact }
}
