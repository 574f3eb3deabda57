import type { PendingToolCall } from "../../contracts/approval/pause.ts"
import { visible } from "../../domain/text/visible.ts"
import { escapeHtml } from "./escape-html.ts"
import type { SentEdit } from "./link-form.ts"

/** New arguments that were not accepted, and why: the form shows both again. */
export interface RefusedEdit extends SentEdit {
  readonly problem: string
}

/** Longer arguments are not edited in a browser. */
const mostCharacters = 100_000
const mostRows = 24

const problemHtml = (problem: string): string =>
  `<p class="problem" role="alert">No decision was made: ${escapeHtml(visible(problem))}</p>`

/**
 * Returns the form that approves a call with other arguments; undefined if they are too long. `fields` are other fields of the form. Hidden characters
 * are written as escapes, which JSON reads as the same characters.
 */
export const editForm = (
  { preview, arguments: args }: Pick<PendingToolCall, "preview" | "arguments">,
  fields: string,
  refused?: RefusedEdit,
): string | undefined => {
  const own = JSON.stringify(args, null, 2)
  if (refused === undefined && own.length > mostCharacters) return undefined
  const text = refused?.text ?? own
  const about = escapeHtml(preview.summary)
  const rows = Math.min(mostRows, text.split("\n").length + 1)
  // A browser leaves out the first line break of the text.
  return `<details${refused === undefined ? "" : " open"}><summary>Edit the arguments of ${about}</summary>
<form method="post">${refused === undefined ? "" : problemHtml(refused.problem)}
<label>All arguments, as JSON
<textarea name="arguments" class="code" rows="${rows}" aria-label="All arguments of ${about}, as JSON" spellcheck="false" autocapitalize="off" autocomplete="off"${refused === undefined ? "" : ' aria-invalid="true" autofocus'}>
${escapeHtml(visible(text))}</textarea></label>${fields}
<button class="yes" name="action" value="edit" aria-label="Approve with these arguments: ${about}">Approve with these arguments</button></form></details>`
}
