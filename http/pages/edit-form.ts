import type { PendingToolCall } from "../../contracts/approval/pause.ts"
import { editedTextsOf } from "../../domain/preview/edited-text.ts"
import { visible } from "../../domain/text/visible.ts"
import { escapeHtml } from "./escape-html.ts"
import { type SentEdit, textFieldName } from "./link-form.ts"

/** New arguments that were not accepted, and why: the form shows both again. */
export interface RefusedEdit extends SentEdit {
  readonly problem: string
}

/** Longer arguments are not edited in a browser. */
const mostCharacters = 100_000
const mostRows = 24

const problemHtml = (problem: string): string =>
  `<p class="problem" role="alert">No decision was made: ${escapeHtml(visible(problem))}</p>`

const rowsFor = (text: string): number => Math.min(mostRows, text.split("\n").length + 1)

/** Returns the form that edits what a person sees of a call, its command or its new texts, with line breaks; empty if the call has no such text. */
const textForm = (call: Call, fields: string): string => {
  const edited = editedTextsOf(call)
  const [first] = edited
  if (first === undefined) return ""
  const about = escapeHtml(call.preview.summary)
  const what = `${edited.length === 1 ? first.label : "new texts"} of ${about}`
  const areas = edited.map(
    ({ path, label, text }) =>
      `<label>${edited.length === 1 ? "" : `The ${label}`}<textarea name="${textFieldName(path)}" class="code" rows="${rowsFor(text)}" aria-label="The ${label} of ${about}" spellcheck="false" autocapitalize="off" autocomplete="off">
${escapeHtml(text)}</textarea></label>`,
  )
  return `<details><summary>Edit the ${what}</summary>
<form method="post"><input type="hidden" name="edited" value="${edited.map(({ path }) => path).join(" ")}"><input type="hidden" name="before" value="${escapeHtml(visible(JSON.stringify(call.arguments)))}">
${areas.join("\n")}${fields}
<button class="yes" name="action" value="edit" aria-label="Approve the edited ${what}">Approve as edited</button></form></details>`
}

type Call = Pick<PendingToolCall, "name" | "preview" | "arguments">

/**
 * Returns the forms that approve a call with other arguments; undefined if they are too long. `fields` are other fields of the form. Hidden characters
 * are written as escapes, which JSON reads as the same characters.
 */
export const editForm = (call: Call, fields: string, refused?: RefusedEdit): string | undefined => {
  const { preview } = call
  const own = JSON.stringify(call.arguments, null, 2)
  if (refused === undefined && own.length > mostCharacters) return undefined
  const text = refused?.text ?? own
  const about = escapeHtml(preview.summary)
  const simple = refused === undefined ? textForm(call, fields) : ""
  // A browser leaves out the first line break of the text.
  return `${simple}<details${refused === undefined ? "" : " open"}><summary>Edit the arguments of ${about}</summary>
<form method="post">${refused === undefined ? "" : problemHtml(refused.problem)}
<label>All arguments, as JSON
<textarea name="arguments" class="code" rows="${rowsFor(text)}" aria-label="All arguments of ${about}, as JSON" spellcheck="false" autocapitalize="off" autocomplete="off"${refused === undefined ? "" : ' aria-invalid="true" autofocus'}>
${escapeHtml(visible(text))}</textarea></label>${fields}
<button class="yes" name="action" value="edit" aria-label="Approve with these arguments: ${about}">Approve with these arguments</button></form></details>`
}
