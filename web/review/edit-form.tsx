import { useId, useState } from "preact/hooks"
import type { PendingCall } from "../api/shapes.ts"
import { jsonText, readJsonObject } from "../shown/json-text.ts"

/** Approves a call with other arguments. */
export const EditForm = ({
  call,
  isBusy,
  onSave,
  onClose,
}: {
  readonly call: PendingCall
  readonly isBusy: boolean
  readonly onSave: (edited: Record<string, unknown>) => void
  readonly onClose: () => void
}) => {
  const [text, setText] = useState(() => jsonText(call.arguments))
  const edited = readJsonObject(text)
  // The id of a call is unique within its pause only.
  const field = useId()
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        if (edited !== undefined) onSave(edited)
      }}
    >
      <label class="quiet" for={field}>
        All arguments of {call.preview.summary}, as JSON
      </label>
      <textarea
        id={field}
        class="code"
        rows={Math.min(24, text.split("\n").length + 1)}
        value={text}
        ref={(textarea) => {
          if (textarea !== null && document.activeElement?.closest("[data-pending]") !== null) textarea.focus()
        }}
        onInput={(event) => setText(event.currentTarget.value)}
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
        <button class="main" type="submit" disabled={isBusy || edited === undefined}>
          Approve with these arguments
        </button>
        <button type="button" onClick={onClose}>
          Keep the arguments
        </button>
      </div>
    </form>
  )
}
