import { useId, useLayoutEffect, useRef } from "preact/hooks"
import { type EditedText, editedTextOf, withEditedText } from "../../domain/preview/edited-text.ts"
import type { PendingCall } from "../api/shapes.ts"
import { jsonText, readJsonObject } from "../shown/json-text.ts"

/** What a person has written: the text of the call as it is, or all arguments as JSON. */
export interface EditDraft {
  readonly kind: "text" | "json"
  readonly written: string
}

/** Returns what the form begins with: the text that people edit of a call, or else its arguments. */
export const firstDraft = (call: PendingCall): EditDraft => {
  const edited = editedTextOf(call)
  return edited === undefined ? jsonDraft(call.arguments) : { kind: "text", written: edited.text }
}

const jsonDraft = (args: object): EditDraft => ({ kind: "json", written: jsonText(args) })

/** Returns the arguments that a draft means; undefined if it is no JSON object. */
const argumentsOf = (
  call: PendingCall,
  edited: EditedText | undefined,
  { kind, written }: EditDraft,
): Record<string, unknown> | undefined =>
  kind === "text" && edited !== undefined
    ? { ...withEditedText(call.arguments, edited, written) }
    : readJsonObject(written)

const labels: Readonly<Record<string, string>> = {
  content: "Content of the file",
  new_string: "New text",
  command: "Command",
}

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
  edited,
  isOff,
  onDraft,
  onClose,
}: Omit<EditFormProps, "onSave"> & {
  readonly args: Record<string, unknown> | undefined
  readonly edited: EditedText | undefined
}) => (
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
    {draft.kind === "text" && edited !== undefined && (
      <button type="button" onClick={() => onDraft(jsonDraft(args ?? call.arguments))}>
        All arguments as JSON
      </button>
    )}
  </div>
)

/** Approves a call with another text or other arguments. What was written so far stays a draft while the form is closed. */
export const EditForm = (props: EditFormProps) => {
  const { call, draft, isOff, onDraft, onSave, onClose } = props
  const edited = editedTextOf(call)
  const args = argumentsOf(call, edited, draft)
  const field = useRef<HTMLTextAreaElement>(null)
  useLayoutEffect(() => field.current?.focus(), [draft.kind])
  // The id of a call is unique within its pause only.
  const id = useId()
  const isText = draft.kind === "text" && edited !== undefined
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        if (args !== undefined && !isOff) onSave(args)
      }}
    >
      <label class="quiet" for={id}>
        {isText ? `${labels[edited.name] ?? edited.name} of` : "All arguments of"} {call.preview.summary}
        {isText ? "" : ", as JSON"}
      </label>
      <textarea
        id={id}
        ref={field}
        class="code"
        rows={Math.min(24, draft.written.split("\n").length + 1)}
        spellcheck={false}
        value={draft.written}
        onInput={(event) => onDraft({ ...draft, written: event.currentTarget.value })}
        onKeyDown={(event) => {
          if (event.key === "Escape") onClose()
        }}
      />
      {args === undefined && (
        <p class="failure" role="alert">
          This is not a JSON object.
        </p>
      )}
      <Buttons {...props} args={args} edited={edited} />
    </form>
  )
}
