import { visible } from "../../domain/text/visible.ts"
import { server } from "../api/server.ts"
import type { Approval } from "../api/shapes.ts"
import { MarkdownView } from "../parts/markdown-view.tsx"
import { elapsed } from "../shown/figures.ts"
import { sessionLink } from "../state/address.ts"
import { now } from "../state/clock.ts"
import { sessions } from "../state/sessions.ts"
import { AllAtOnce } from "./all-at-once.tsx"
import { AnswerForm } from "./answer-form.tsx"
import { CallDecision } from "./call-decision.tsx"
import { useDecisions } from "./use-decisions.ts"
import { useHeld } from "./use-held.ts"

interface CardProps {
  readonly approval: Approval
  /** The pause is over; the card is shown because the focus is in it. */
  readonly isGone: boolean
  /** The pause to which Enter leads from a card that is done. */
  readonly next?: Approval | undefined
}

/** What Enter does while the card itself has the focus. */
const EnterHint = ({ approval: { type }, isGone, next }: CardProps) => {
  if (!isGone)
    return (
      <p class="quiet enter-hint">
        <kbd>Enter</kbd> goes to {type === "input_required" ? "the answer" : "the first call"}.
      </p>
    )
  return (
    <p class="quiet" role="status">
      Nothing is left to decide here.{" "}
      {next !== undefined && (
        <>
          <kbd>Enter</kbd> goes on to {visible(next.title ?? next.session_id)}.
        </>
      )}
    </p>
  )
}

/** Which task waits, as whom and where it works, and since when. */
const CardHead = ({ approval: { session_id: id, title, agent, opened_at: since }, isGone }: CardProps) => {
  const directory = sessions.value?.find((session) => session.id === id)?.cwd
  return (
    <>
      <h3>{visible(title ?? agent)}</h3>
      <p class="who">
        <a href={sessionLink(id)}>{id}</a>
        <span>
          {visible(agent)}
          {directory === undefined ? "" : ` in ${visible(directory)}`} ·{" "}
          {isGone ? "no longer waiting" : `waiting for ${elapsed(since, now.value)}`}
        </span>
      </p>
    </>
  )
}

/** A pause: who waits, what the agent said, and every call with what can be decided about it. */
export const ApprovalCard = (props: CardProps) => {
  const { approval, isGone } = props
  const { session_id: id, checkpoint_id: checkpoint, message, type } = approval
  const { card, sending, isAnswered, failure, note, one, all, answer } = useDecisions(approval)
  const pending = isGone ? [] : approval.pending
  const { held, onFocusOut } = useHeld(pending, (call) => call.id, card, "data-pending")
  const asks = type === "input_required" && !isAnswered
  return (
    <article
      ref={card}
      class="card"
      tabIndex={-1}
      aria-label={`${isGone ? "Decided" : "Approval"} for ${id}`}
      data-session={id}
      aria-busy={sending.length > 0}
      onFocusOut={onFocusOut}
    >
      <CardHead {...props} />
      <EnterHint {...props} />
      {message !== "" && (
        <div class="why">
          <MarkdownView text={message} />
        </div>
      )}
      {held.map(({ item: call, isGone: isCallGone }) => (
        <CallDecision
          key={`${checkpoint}.${call.id}`}
          place={`${checkpoint}.${call.id}`}
          call={call}
          state={isCallGone ? "gone" : sending.includes(call.id) ? "sending" : "open"}
          readWhole={() => server.preview(id, call.id)}
          onDecide={(decision, grant) => void one(call.id, decision, grant)}
        />
      ))}
      {asks && (
        <AnswerForm isOff={isGone || sending.length > 0} isGone={isGone} onAnswer={(text) => void answer(text)} />
      )}
      {pending.length > 1 && (
        <AllAtOnce approval={approval} isBusy={sending.length > 0} onDecide={(decision) => void all(decision)} />
      )}
      {note !== undefined && !isGone && (
        <p class="quiet" role="status">
          {note}
        </p>
      )}
      {failure !== undefined && (
        <p class="failure" role="alert">
          {failure}
        </p>
      )}
    </article>
  )
}
