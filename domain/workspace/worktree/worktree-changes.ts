import { counted } from "../../text/figures.ts"
import type { SessionWorktree, WorktreeFile } from "../../../contracts/delegation/worktree.ts"
import { visible } from "../../text/visible.ts"
import { fenceData } from "../../text/foreign/fence-data.ts"
import { startOf } from "../../text/foreign/well-formed.ts"

/** Characters of a diff that a session's details and its parent's model are shown. */
const maxDiff = 24_000
const maxFileLines = 40

/** Returns the beginning of a diff, in whole lines. */
export const boundDiff = (diff: string): { readonly text: string; readonly isCut: boolean } => {
  if (diff.length <= maxDiff) return { text: diff, isCut: false }
  const end = diff.lastIndexOf("\n", maxDiff)
  return { text: startOf(diff, end > 0 ? end + 1 : maxDiff), isCut: true }
}

const marks = { added: "A", modified: "M", deleted: "D" } as const

const linesText = ({ added, deleted }: WorktreeFile): string =>
  added === null || deleted === null ? "binary" : `+${added} −${deleted}`

const fileText = (file: WorktreeFile): string => {
  const link = file.leads_to === undefined ? "" : `, a link to ${visible(file.leads_to)}, outside of the directory`
  return `${marks[file.change]} ${visible(file.path)} ${linesText(file)}${link}`
}

/** Returns why there are no changes to show of a session without a worktree. */
export const noWorktreeText = (id: string): string =>
  `${id} has no worktree: what it changed is in its working directory`

type Changes = Pick<SessionWorktree, "status" | "tree" | "files" | "problem">

const sum = (files: readonly WorktreeFile[], of: (file: WorktreeFile) => number | null): number =>
  files.reduce((total, file) => total + (of(file) ?? 0), 0)

/** Returns in one line what was changed in a worktree. */
export const changesLine = ({ status, tree, files, problem }: Changes): string => {
  if (status === "open") return "open: the sub-agent works in it"
  if (status === "unchanged") return "nothing was changed"
  if (status === "failed") return `the changes could not be read: ${problem ?? "unknown reason"}`
  const size = `${counted(files.length, "file")}, +${sum(files, ({ added }) => added)} −${sum(files, ({ deleted }) => deleted)}`
  return `${size}, tree ${tree ?? "unknown"}, ${status === "merged" ? "merged" : "not merged"}`
}

/** Returns what was changed in a sub-agent's worktree, for the agent that can merge it. */
export const changesText = (worktree: SessionWorktree, target: string): string => {
  const { status, tree, files, diff, is_cut: isCut, left_out: leftOut } = worktree
  const head = `worktree: ${changesLine(worktree)}`
  if (status !== "changed" && status !== "merged") return head
  const shown = files.slice(0, maxFileLines).map(fileText)
  const rest = files.length - shown.length
  const cut = isCut ? "\n(the diff is cut here)" : ""
  const how =
    status === "merged"
      ? "These changes are in your files."
      : `None of this is in your files yet. If the changes are what you asked for, merge them: sessions_merge ${JSON.stringify({ sessionKey: target, tree })}`
  return [
    head,
    ...shown,
    ...(rest > 0 ? [`and ${rest} more files`] : []),
    ...leftOut.map((text) => `not part of the changes: ${visible(text)}`),
    "",
    fenceData("worktree-diff", `${diff ?? ""}${cut}`),
    "",
    how,
  ].join("\n")
}
