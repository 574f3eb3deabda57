import { useRef, useState } from "preact/hooks"
import type { CallDecision as Decision } from "../../contracts/approval/decision.ts"
import { visible } from "../../domain/text/visible.ts"
import { messageOf } from "../api/request.ts"
import { server } from "../api/server.ts"
import type { Approval } from "../api/shapes.ts"
import { counted } from "../../domain/text/figures.ts"
import { elapsed } from "../shown/figures.ts"
import { approvalsRefresher } from "../state/approvals.ts"
import { now } from "../state/clock.ts"
import { sessionLink } from "../state/address.ts"
import { CallDecision } from "./call-decision.tsx"

/** Returns where a person goes on after elements of a card: at the first call or answer below them, or else at the first of all others. */
const placeAfter = (done: readonly HTMLElement[]): HTMLElement | undefined => {
  const all = [...document.querySelectorAll<HTMLElement>("[data-pending], textarea[data-answer]")]
  const last = Math.max(...done.map((each) => all.findIndex((place) => place === each)))
  return all[last + 1] ?? all.find((place) => !done.includes(place))
}

const AnswerForm = ({ isBusy, onAnswer }: { readonly isBusy: boolean; readonly onAnswer: (text: string) => void }) => {
  const [text, setText] = useState("")
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        onAnswer(text)
      }}
    >
      <textarea
        rows={2}
        required
        data-answer
        aria-label="Your answer"
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
      />
      <div class="bar">
        <button class="main" type="submit" disabled={isBusy}>
          Answer
        </button>
      </div>
    </form>
  )
}

/** Decides all calls of a pause, below a list of what that is. */
const AllAtOnce = ({
  approval: { pending, session_id: id },
  isBusy,
  onDecide,
}: {
  readonly approval: Approval
  readonly isBusy: boolean
  readonly onDecide: (decision: Decision) => void
}) => {
  const calls = counted(pending.length, "call")
  return (
    <div class="all">
      <p class="quiet">All {calls} of this pause:</p>
      <ul>
        {pending.map(({ id: call, preview }) => (
          <li key={call}>
            {preview.summary}
            {preview.protected_path === undefined ? "" : ` · changes the protected path ${preview.protected_path}`}
            {preview.confined === false ? " · not confined" : ""}
          </li>
        ))}
      </ul>
      <div class="bar">
        <button
          disabled={isBusy}
          aria-label={`Approve all ${calls} of ${id}`}
          onClick={() => onDecide({ action: "accept" })}
        >
          Approve all
        </button>
        <button
          class="danger"
          disabled={isBusy}
          aria-label={`Reject all ${calls} of ${id}`}
          onClick={() => onDecide({ action: "reject" })}
        >
          Reject all
        </button>
      </div>
    </div>
  )
}

const useDecisions = (approval: Approval) => {
  const card = useRef<HTMLElement>(null)
  const [isBusy, setBusy] = useState(false)
  const [failure, setFailure] = useState<string>()
  /** Sends what was decided about the elements of a selector, and moves on from them. Ids of calls are unique within one card only. */
  const attempt = async (selector: string, ask: () => Promise<unknown>): Promise<void> => {
    const place = card.current
    const done = [...(place?.querySelectorAll<HTMLElement>(selector) ?? [])]
    let next = placeAfter(done)
    setBusy(true)
    try {
      await ask()
      setFailure(undefined)
      await approvalsRefresher.now()
    } catch (error) {
      setFailure(messageOf(error))
      next = done[0]
    }
    setBusy(false)
    const { activeElement: active } = document
    const isElsewhere = active !== null && active !== document.body && place?.contains(active) !== true
    if (!isElsewhere && next?.isConnected === true) next.focus()
  }
  const places = "[data-pending], textarea[data-answer]"
  return {
    card,
    isBusy,
    failure,
    one: (id: string, decision: Decision) =>
      attempt(`[data-pending="${CSS.escape(id)}"]`, () => server.decide(approval, { [id]: decision })),
    all: (decision: Decision) =>
      attempt(places, () =>
        server.decide(approval, Object.fromEntries(approval.pending.map(({ id }) => [id, decision]))),
      ),
    answer: (message: string) =>
      attempt(places, () =>
        server.say(approval.session_id, {
          message,
          run_id: approval.run_id,
          checkpoint_id: approval.checkpoint_id,
        }),
      ),
  }
}

/** A pause: who waits, what the agent said, and every call with what can be decided about it. */
export const ApprovalCard = ({ approval }: { readonly approval: Approval }) => {
  const { session_id: id, agent, title, message, pending, type, opened_at: since } = approval
  const { card, isBusy, failure, one, all, answer } = useDecisions(approval)
  return (
    <article ref={card} class="card" aria-label={`Approval for ${id}`} data-session={id} aria-busy={isBusy}>
      <h3>{visible(title ?? agent)}</h3>
      <p class="who">
        <a href={sessionLink(id)}>{id}</a>
        <span>
          {visible(agent)} · waiting for {elapsed(since, now.value)}
        </span>
      </p>
      {message !== "" && <p class="why">{visible(message)}</p>}
      {pending.map((call) => (
        <CallDecision
          key={`${approval.checkpoint_id}.${call.id}`}
          call={call}
          isBusy={isBusy}
          onDecide={(decision) => void one(call.id, decision)}
        />
      ))}
      {type === "input_required" && <AnswerForm isBusy={isBusy} onAnswer={(text) => void answer(text)} />}
      {pending.length > 1 && (
        <AllAtOnce approval={approval} isBusy={isBusy} onDecide={(decision) => void all(decision)} />
      )}
      {failure !== undefined && (
        <p class="failure" role="alert">
          {failure}
        </p>
      )}
    </article>
  )
}
