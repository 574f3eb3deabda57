import { useState } from "preact/hooks"
import { visible } from "../../domain/text/visible.ts"
import type { PendingCall } from "../api/shapes.ts"

const isArguments = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const readArguments = (text: string): Record<string, unknown> | undefined => {
  try {
    const value: unknown = JSON.parse(text)
    return isArguments(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** Approves a call with other arguments. Hidden characters stand in the text as escapes, which JSON reads as the same characters. */
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
  const [text, setText] = useState(visible(JSON.stringify(call.arguments, null, 2)))
  const edited = readArguments(text)
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        if (edited !== undefined) onSave(edited)
      }}
    >
      <label class="quiet" for={`edit-${call.id}`}>
        All arguments of {call.preview.summary}, as JSON
      </label>
      <textarea
        id={`edit-${call.id}`}
        class="code"
        rows={Math.min(24, text.split("\n").length + 1)}
        value={text}
        ref={(field) => {
          if (field !== null && document.activeElement?.closest("[data-pending]") !== null) field.focus()
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
