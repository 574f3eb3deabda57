import { Fragment } from "preact"
import { useId, useLayoutEffect, useRef } from "preact/hooks"
import { type EditedText, editedTextsOf, withEditedTexts } from "../../domain/preview/edited-text.ts"
import type { PendingCall } from "../api/shapes.ts"
import { jsonText, readJsonObject } from "../shown/json-text.ts"
import { isCarryOut } from "./key-rules.ts"

/** What a person has written: the texts of the call as they are, or all arguments as JSON. */
export type EditDraft =
  | { readonly kind: "texts"; readonly written: readonly EditedText[] }
  | { readonly kind: "json"; readonly written: string }

const jsonDraft = (args: object): EditDraft => ({ kind: "json", written: jsonText(args) })

/** Returns what the form begins with: the texts that people edit of a call, or else its arguments. */
export const firstDraft = (call: PendingCall): EditDraft => {
  const written = editedTextsOf(call)
  return written.length === 0 ? jsonDraft(call.arguments) : { kind: "texts", written }
}

/** Returns the arguments that a draft means; undefined if it is no JSON object. */
export const draftedArguments = (call: PendingCall, draft: EditDraft): Record<string, unknown> | undefined =>
  draft.kind === "json" ? readJsonObject(draft.written) : withEditedTexts(call.arguments, draft.written)

/** The fields of a draft, each with what changes it. */
const fieldsOf = (draft: EditDraft, about: string) =>
  draft.kind === "json"
    ? [
        {
          label: `All arguments of ${about}, as JSON`,
          text: draft.written,
          changed: (text: string): EditDraft => ({ kind: "json", written: text }),
        },
      ]
    : draft.written.map(({ path, label, text: own }) => ({
        label: `${label[0]?.toUpperCase()}${label.slice(1)} of ${about}`,
        text: own,
        changed: (text: string): EditDraft => ({
          kind: "texts",
          written: draft.written.map((each) => (each.path === path ? { ...each, text } : each)),
        }),
      }))

interface EditFormProps {
  readonly call: PendingCall
  readonly draft: EditDraft
  readonly isOff: boolean
  readonly onDraft: (draft: EditDraft) => void
  readonly onSave: (edited: Record<string, unknown>) => void
  readonly onClose: () => void
}

/** Approves, or discards what was written and gives the focus back to the call. */
const Buttons = ({
  call,
  args,
  draft,
  isOff,
  onDraft,
  onClose,
}: Omit<EditFormProps, "onSave"> & { readonly args: Record<string, unknown> | undefined }) => (
  <div class="bar">
    <button class="main" type="submit" disabled={isOff || args === undefined}>
      Approve with these arguments
    </button>
    <button
      type="button"
      onClick={(event) => {
        event.currentTarget.closest<HTMLElement>("[data-pending]")?.focus()
        onDraft(firstDraft(call))
        onClose()
      }}
    >
      Keep the arguments
    </button>
    {draft.kind === "texts" && (
      <button type="button" onClick={() => onDraft(jsonDraft(args ?? call.arguments))}>
        All arguments as JSON
      </button>
    )}
    <span class="quiet">Ctrl+Enter: Approve with these arguments</span>
  </div>
)

/** Approves a call with other texts or other arguments. What was written so far stays a draft while the form is closed. */
export const EditForm = (props: EditFormProps) => {
  const { call, draft, isOff, onDraft, onSave, onClose } = props
  const args = draftedArguments(call, draft)
  const form = useRef<HTMLFormElement>(null)
  useLayoutEffect(() => form.current?.querySelector("textarea")?.focus(), [draft.kind])
  // The id of a call is unique within its pause only.
  const id = useId()
  return (
    <form
      ref={form}
      onKeyDown={(event) => {
        if (isCarryOut(event) && !event.repeat && !event.isComposing) form.current?.requestSubmit()
      }}
      onSubmit={(event) => {
        event.preventDefault()
        if (args !== undefined && !isOff) onSave(args)
      }}
    >
      {fieldsOf(draft, call.preview.summary).map(({ label, text, changed }, index) => (
        <Fragment key={index}>
          <label class="quiet" for={`${id}-${index}`}>
            {label}
          </label>
          <textarea
            id={`${id}-${index}`}
            class="code"
            rows={Math.min(24, text.split("\n").length + 1)}
            spellcheck={false}
            value={text}
            onInput={(event) => onDraft(changed(event.currentTarget.value))}
            onKeyDown={(event) => {
              if (event.key === "Escape") onClose()
            }}
          />
        </Fragment>
      ))}
      {args === undefined && (
        <p class="failure" role="alert">
          This is not a JSON object.
        </p>
      )}
      <Buttons {...props} args={args} />
    </form>
  )
}
