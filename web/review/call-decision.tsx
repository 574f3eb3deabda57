import { useRef, useState } from "preact/hooks"
import type { CallDecision as Decision } from "../../contracts/approval/decision.ts"
import type { PendingCall } from "../api/shapes.ts"
import { PreviewView } from "../parts/call-preview.tsx"
import { EditForm } from "./edit-form.tsx"

type Decide = (decision: Decision) => void

/** A decision by key counts only when the call has been before the person for a moment: keys that repeat decide nothing. */
const lookMs = 250

const isField = (target: EventTarget | null): boolean =>
  target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement

const Buttons = ({
  call,
  isBusy,
  onDecide,
  onEdit,
  reason,
}: {
  readonly call: PendingCall
  readonly isBusy: boolean
  readonly onDecide: Decide
  readonly onEdit: () => void
  readonly reason: { readonly current: HTMLInputElement | null }
}) => {
  const about = call.preview.summary
  const said = () => {
    const content = reason.current?.value.trim() ?? ""
    return content === "" ? {} : { content }
  }
  const useResult = () => {
    const { content } = said()
    if (content === undefined) reason.current?.focus()
    else onDecide({ action: "custom_result", content })
  }
  return (
    <div class="bar">
      <button
        class="main"
        disabled={isBusy}
        aria-label={`Approve: ${about}`}
        onClick={() => onDecide({ action: "accept" })}
      >
        Approve
      </button>
      <button
        class="danger"
        disabled={isBusy}
        aria-label={`Reject: ${about}`}
        onClick={() => onDecide({ action: "reject", ...said() })}
      >
        Reject
      </button>
      <button disabled={isBusy} aria-label={`Edit: ${about}`} onClick={onEdit}>
        Edit
      </button>
      <button
        disabled={isBusy}
        aria-label={`Use my result: ${about}`}
        title="The call does not run; the agent gets what you wrote as its result"
        onClick={useResult}
      >
        Use my result
      </button>
    </div>
  )
}

/** Lets keys act on a call while the focus is in it, and in no field. */
const useCallKeys = (isBusy: boolean, keys: Readonly<Record<string, () => void>>) => {
  const seenMs = useRef(0)
  return {
    onFocusCapture: (event: FocusEvent & { readonly currentTarget: HTMLElement }): void => {
      const from = event.relatedTarget
      if (!(from instanceof Node) || !event.currentTarget.contains(from)) seenMs.current = performance.now()
    },
    onKeyDown: (event: KeyboardEvent): void => {
      const isPlain = !event.ctrlKey && !event.metaKey && !event.altKey
      const act = isPlain && !isField(event.target) ? keys[event.key] : undefined
      if (act === undefined) return
      event.preventDefault()
      event.stopPropagation()
      if (!event.repeat && !isBusy && performance.now() - seenMs.current > lookMs) act()
    },
  }
}

interface CallDecisionProps {
  readonly call: PendingCall
  readonly isBusy: boolean
  readonly onDecide: Decide
}

/** A call that waits, and what can be decided about it. Keys: `y` approves, `n` asks for the reason of a rejection, `e` edits. */
export const CallDecision = ({ call, isBusy, onDecide }: CallDecisionProps) => {
  const reason = useRef<HTMLInputElement>(null)
  const [isEdited, setEdited] = useState(false)
  const handlers = useCallKeys(isBusy, {
    y: () => onDecide({ action: "accept" }),
    n: () => reason.current?.focus(),
    e: () => setEdited(true),
  })
  const rejectOnEnter = (event: KeyboardEvent & { readonly currentTarget: HTMLInputElement }): void => {
    if (event.key !== "Enter" || event.isComposing) return
    const content = event.currentTarget.value.trim()
    onDecide({ action: "reject", ...(content === "" ? {} : { content }) })
  }
  const choices = (
    <>
      <input
        ref={reason}
        disabled={isBusy}
        placeholder="Reason or result; Enter rejects"
        aria-label={`Reason for ${call.id}`}
        onKeyDown={rejectOnEnter}
      />
      <Buttons {...{ call, isBusy, onDecide, reason }} onEdit={() => setEdited(true)} />
    </>
  )
  return (
    <div class="call" tabIndex={-1} data-pending={call.id} role="group" aria-label={call.preview.summary} {...handlers}>
      <strong>{call.preview.summary}</strong>
      <PreviewView preview={call.preview} />
      {isEdited ? (
        <EditForm
          call={call}
          isBusy={isBusy}
          onSave={(edited) => onDecide({ action: "edit", arguments: edited })}
          onClose={() => setEdited(false)}
        />
      ) : (
        choices
      )}
    </div>
  )
}
