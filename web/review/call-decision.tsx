import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks"
import type { CallPreview } from "../../contracts/approval/call-preview.ts"
import type { CallDecision as Decision } from "../../contracts/approval/decision.ts"
import { suggestGrant } from "../../domain/advice/suggest-grant.ts"
import type { GrantTerms } from "../../domain/approval/grant-terms.ts"
import { mergeToolName } from "../../domain/tools/tool-names.ts"
import type { PendingCall } from "../api/shapes.ts"
import { CallHead, setViewed, viewed } from "../parts/call-head.tsx"
import { PreviewView } from "../parts/call-preview.tsx"
import { mayApprove } from "../state/caller.ts"
import { AlwaysForm } from "./always-form.tsx"
import { EditForm, firstDraft } from "./edit-form.tsx"
import { type CallActions, callActions, keyState } from "./key-state.ts"
import { TextDecision } from "./text-decision.tsx"

type Decide = (decision: Decision, grant?: GrantTerms) => void

interface CallDecisionProps {
  readonly call: PendingCall
  /** The key of the call, unique among all pauses. */
  readonly place: string
  /** `sending`: its decision is on its way. `gone`: it was decided elsewhere while somebody was in it. */
  readonly state: "open" | "sending" | "gone"
  readonly readWhole: () => Promise<CallPreview>
  readonly onDecide: Decide
}

/** A merge has no arguments to edit: it is bound to the changes that were shown. */
const isEditable = ({ name }: PendingCall): boolean => name !== mergeToolName

interface ButtonsProps {
  readonly call: PendingCall
  readonly isOff: boolean
  readonly onDecide: Decide
  /** Moves the focus to the reason of a rejection. A phone does not show it next to the other buttons. */
  readonly onReason: () => void
  readonly onEdit: () => void
  readonly onResult: () => void
  readonly onNote: () => void
  /** Undefined if no grant can cover the call. */
  readonly onAlways: (() => void) | undefined
}

/** The buttons for decisions that need a text; each opens its form. */
const TextButtons = ({ call, isOff, onEdit, onResult, onNote }: ButtonsProps) => {
  const about = call.preview.summary
  return (
    <>
      <button
        disabled={isOff}
        aria-label={`Approve with a note: ${about}`}
        title="The call runs; the agent gets what you write with its result"
        onClick={onNote}
      >
        Approve with a note …
      </button>
      {isEditable(call) && (
        <button disabled={isOff} aria-label={`Edit: ${about}`} onClick={onEdit}>
          Edit
        </button>
      )}
      <button
        disabled={isOff}
        aria-label={`Use my result: ${about}`}
        title="The call does not run; the agent gets what you write as its result"
        onClick={onResult}
      >
        Use my result …
      </button>
    </>
  )
}

/** The buttons that decide at once. */
const Buttons = (props: ButtonsProps) => {
  const { call, isOff, onDecide, onReason, onAlways } = props
  const about = call.preview.summary
  return (
    <div class="bar decide-bar">
      <button
        class="main"
        disabled={isOff}
        aria-label={`Approve: ${about}`}
        onClick={() => onDecide({ action: "accept" })}
      >
        Approve
      </button>
      <button class="to-reason" disabled={isOff} aria-label={`Reject …: ${about}`} onClick={onReason}>
        Reject …
      </button>
      {onAlways !== undefined && (
        <button disabled={isOff} aria-label={`Always allow: ${about}`} onClick={onAlways}>
          Always allow …
        </button>
      )}
      <TextButtons {...props} />
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

/** A note to the agent, with which the call is approved. */
const NoteForm = ({
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
      label={`Note to the agent about ${call.id}`}
      button={{
        text: "Approve with this note",
        label: `Approve with this note: ${call.preview.summary}`,
        class: "main",
      }}
      placeholder="What the agent is told with the result of the call"
      onText={setText}
      onSend={() => onDecide({ action: "accept", content: text.trim() })}
    />
  )
}

/** Registers what keys do with a call for as long as it is shown. */
const useCallActions = (place: string, actions: CallActions) => {
  callActions.set(place, actions)
  useEffect(() => () => void callActions.delete(place), [place])
}

const GoneNote = () => (
  <p class="quiet" role="status">
    This call was decided elsewhere. What you wrote here was not sent.
  </p>
)

type OpenForm = "edit" | "result" | "note" | "always" | undefined

/** The decisions besides a rejection, and the form of the one that is open. What was written in the editor is kept while it is closed. */
const Choices = ({
  call,
  isOff,
  open,
  setOpen,
  onDecide,
  onReason,
}: Pick<CallDecisionProps, "call" | "onDecide"> & {
  readonly onReason: () => void
  readonly isOff: boolean
  readonly open: OpenForm
  readonly setOpen: (form: OpenForm) => void
}) => {
  const [draft, setDraft] = useState(() => firstDraft(call))
  const grant = mayApprove.value ? suggestGrant(call) : undefined
  const toggle = (form: OpenForm) => setOpen(open === form ? undefined : form)
  if (open === "edit")
    return (
      <EditForm
        {...{ call, draft, isOff }}
        onDraft={setDraft}
        onSave={(edited) => onDecide({ action: "edit", arguments: edited })}
        onClose={() => setOpen(undefined)}
      />
    )
  return (
    <>
      <Buttons
        {...{ call, isOff, onDecide, onReason }}
        onEdit={() => setOpen("edit")}
        onResult={() => toggle("result")}
        onNote={() => toggle("note")}
        onAlways={grant === undefined ? undefined : () => toggle("always")}
      />
      {open === "always" && grant !== undefined && (
        <AlwaysForm
          {...{ grant, isOff }}
          onGrant={() => onDecide({ action: "accept" }, grant)}
          onClose={() => setOpen(undefined)}
        />
      )}
      {open === "result" && <ResultForm {...{ call, isOff, onDecide }} />}
      {open === "note" && <NoteForm {...{ call, isOff, onDecide }} />}
    </>
  )
}

/** A call that waits, and what can be decided about it. Keys: `y` arms its approval, `n` goes to the reason of a rejection, `e` edits. */
export const CallDecision = ({ call, place, state, readWhole, onDecide }: CallDecisionProps) => {
  const field = useRef<HTMLTextAreaElement>(null)
  const [reason, setReason] = useState("")
  const [open, setOpen] = useState<OpenForm>()
  const isOff = state !== "open"
  const isViewed = viewed.value.has(place)
  const isArmed = keyState.value.armed?.call === place
  const reject = (): void => {
    const content = reason.trim()
    onDecide({ action: "reject", ...(content === "" ? {} : { content }) })
  }
  const toReason = (): void => field.current?.focus()
  useCallActions(place, {
    approve: () => onDecide({ action: "accept" }),
    reason: toReason,
    edit: () => isEditable(call) && setOpen("edit"),
    view: () => setViewed(place, !isViewed),
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
      <CallHead about={about} id={call.id} place={place} isViewed={isViewed} />
      {!isViewed && <PreviewView preview={call.preview} readWhole={readWhole} />}
      {state === "gone" && <GoneNote />}
      <Choices {...{ call, isOff, open, setOpen, onDecide }} onReason={toReason} />
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
