import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks"
import type { CallPreview } from "../../contracts/approval/call-preview.ts"
import type { CallDecision as Decision } from "../../contracts/approval/decision.ts"
import type { PendingCall } from "../api/shapes.ts"
import { PreviewView } from "../parts/call-preview.tsx"
import { jsonText } from "../shown/json-text.ts"
import { EditForm } from "./edit-form.tsx"
import { callActions, keyState } from "./key-state.ts"
import { TextDecision } from "./text-decision.tsx"

type Decide = (decision: Decision) => void

interface CallDecisionProps {
  readonly call: PendingCall
  /** Names the call among those of all pauses. */
  readonly place: string
  /** `sending`: its decision is on its way. `gone`: it was decided elsewhere while somebody was in it. */
  readonly state: "open" | "sending" | "gone"
  readonly readWhole: () => Promise<CallPreview>
  readonly onDecide: Decide
}

/** What is decided by one button. */
const Buttons = ({
  call,
  isOff,
  onDecide,
  onEdit,
  onResult,
}: {
  readonly call: PendingCall
  readonly isOff: boolean
  readonly onDecide: Decide
  readonly onEdit: () => void
  readonly onResult: () => void
}) => {
  const about = call.preview.summary
  return (
    <div class="bar">
      <button
        class="main"
        disabled={isOff}
        aria-label={`Approve: ${about}`}
        onClick={() => onDecide({ action: "accept" })}
      >
        Approve
      </button>
      <button disabled={isOff} aria-label={`Edit: ${about}`} onClick={onEdit}>
        Edit
      </button>
      <button
        disabled={isOff}
        aria-label={`Use my result: ${about}`}
        title="The call does not run; the agent gets what you write as its result"
        onClick={onResult}
      >
        Use my result …
      </button>
    </div>
  )
}

const ArmedNote = ({ isArmed }: { readonly isArmed: boolean }) => (
  <p class="armed-note" role="status">
    {isArmed && (
      <>
        Armed: <kbd>Ctrl</kbd>+<kbd>Enter</kbd> (on a Mac also <kbd>Cmd</kbd>+<kbd>Enter</kbd>) approves this call. Any
        other key disarms.
      </>
    )}
  </p>
)

/** The result that a person writes instead of the call: a field of its own, so that none of its keys means a rejection. */
const ResultForm = ({
  call,
  isOff,
  onDecide,
}: Pick<CallDecisionProps, "call" | "onDecide"> & { readonly isOff: boolean }) => {
  const [text, setText] = useState("")
  const field = useRef<HTMLTextAreaElement>(null)
  useLayoutEffect(() => field.current?.focus(), [])
  return (
    <TextDecision
      {...{ text, field, isOff }}
      isRequired
      label={`Result for ${call.id}`}
      button={{ text: "Use this result", label: `Use this result: ${call.preview.summary}`, class: "main" }}
      placeholder="The result that the agent gets instead; the call does not run"
      onText={setText}
      onSend={() => onDecide({ action: "custom_result", content: text.trim() })}
    />
  )
}

/** Registers what keys do with a call for as long as it is shown. */
const useCallActions = (
  place: string,
  actions: { readonly approve: () => void; readonly reason: () => void; readonly edit: () => void },
) => {
  callActions.set(place, actions)
  useEffect(() => () => void callActions.delete(place), [place])
}

const GoneNote = () => (
  <p class="quiet" role="status">
    This call was decided elsewhere. What you wrote here was not sent.
  </p>
)

/** A call that waits, and what can be decided about it. Keys: `y` arms its approval, `n` goes to the reason of a rejection, `e` edits. */
export const CallDecision = ({ call, place, state, readWhole, onDecide }: CallDecisionProps) => {
  const field = useRef<HTMLTextAreaElement>(null)
  const [reason, setReason] = useState("")
  const [draft, setDraft] = useState(() => jsonText(call.arguments))
  const [open, setOpen] = useState<"edit" | "result">()
  const isOff = state !== "open"
  const isArmed = keyState.value.armed?.call === place
  const reject = (): void => {
    const content = reason.trim()
    onDecide({ action: "reject", ...(content === "" ? {} : { content }) })
  }
  useCallActions(place, {
    approve: () => onDecide({ action: "accept" }),
    reason: () => field.current?.focus(),
    edit: () => setOpen("edit"),
  })
  const about = call.preview.summary
  return (
    <div
      class={isArmed ? "call armed" : "call"}
      tabIndex={-1}
      data-pending={call.id}
      data-key={place}
      {...(isOff ? { "data-off": state } : {})}
      role="group"
      aria-label={about}
    >
      <strong>{about}</strong>
      <PreviewView preview={call.preview} readWhole={readWhole} />
      {state === "gone" && <GoneNote />}
      {open === "edit" ? (
        <EditForm
          {...{ call, draft, isOff }}
          onDraft={setDraft}
          onSave={(edited) => onDecide({ action: "edit", arguments: edited })}
          onClose={() => setOpen(undefined)}
        />
      ) : (
        <Buttons
          {...{ call, isOff, onDecide }}
          onEdit={() => setOpen("edit")}
          onResult={() => setOpen(open === "result" ? undefined : "result")}
        />
      )}
      {open === "result" && <ResultForm {...{ call, isOff, onDecide }} />}
      <TextDecision
        {...{ field, isOff }}
        text={reason}
        label={`Reason for ${call.id}`}
        button={{ text: "Reject", label: `Reject: ${about}`, class: "danger" }}
        placeholder="Reason for a rejection (optional)"
        onText={setReason}
        onSend={reject}
      />
      <ArmedNote isArmed={isArmed} />
    </div>
  )
}
