import { useId, useLayoutEffect, useRef } from "preact/hooks"
import type { PendingCall } from "../api/shapes.ts"
import { jsonText, readJsonObject } from "../shown/json-text.ts"

/** Discards what was written, and gives the focus back to the call. */
const KeepButton = ({ onKeep }: { readonly onKeep: () => void }) => (
  <button
    type="button"
    onClick={(event) => {
      event.currentTarget.closest<HTMLElement>("[data-pending]")?.focus()
      onKeep()
    }}
  >
    Keep the arguments
  </button>
)

/** Approves a call with other arguments. What was written so far stays a draft while the form is closed. */
export const EditForm = ({
  call,
  draft,
  isOff,
  onDraft,
  onSave,
  onClose,
}: {
  readonly call: PendingCall
  readonly draft: string
  readonly isOff: boolean
  readonly onDraft: (text: string) => void
  readonly onSave: (edited: Record<string, unknown>) => void
  readonly onClose: () => void
}) => {
  const edited = readJsonObject(draft)
  const field = useRef<HTMLTextAreaElement>(null)
  useLayoutEffect(() => field.current?.focus(), [])
  // The id of a call is unique within its pause only.
  const id = useId()
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        if (edited !== undefined && !isOff) onSave(edited)
      }}
    >
      <label class="quiet" for={id}>
        All arguments of {call.preview.summary}, as JSON
      </label>
      <textarea
        id={id}
        ref={field}
        class="code"
        rows={Math.min(24, draft.split("\n").length + 1)}
        value={draft}
        onInput={(event) => onDraft(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === "Escape") onClose()
        }}
      />
      {edited === undefined && (
        <p class="failure" role="alert">
          This is not a JSON object.
        </p>
      )}
      <div class="bar">
        <button class="main" type="submit" disabled={isOff || edited === undefined}>
          Approve with these arguments
        </button>
        <KeepButton
          onKeep={() => {
            onDraft(jsonText(call.arguments))
            onClose()
          }}
        />
      </div>
    </form>
  )
}
