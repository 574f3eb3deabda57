import { useRef, useState } from "preact/hooks"
import type { CallDecision, GeneralDecision } from "../../contracts/approval/decision.ts"
import { suggestedSeconds } from "../../domain/advice/suggest-grant.ts"
import type { GrantTerms } from "../../domain/approval/grant-terms.ts"
import { errorMessage } from "../../domain/text/error-message.ts"
import { server } from "../api/server.ts"
import type { Approval } from "../api/shapes.ts"
import { approvalsRefresher } from "../state/approvals.ts"
import { moveOn } from "./places.ts"

const isCall =
  (ids: readonly string[]) =>
  ({ dataset }: HTMLElement): boolean =>
    ids.includes(dataset["pending"] ?? "")

/** Returns which calls an approval of all left pending, for the person who pressed its button. */
const leftText = ({ pending }: Approval, left: readonly string[] | undefined): string | undefined => {
  if (left === undefined) return undefined
  const calls = pending.filter(({ id }) => left.includes(id)).map(({ preview }) => preview.summary)
  return `Still pending, since calls that change protected files or leave the sandbox are approved one by one: ${calls.join(", ")}.`
}

interface Attempt {
  readonly ids: readonly string[]
  /** Returns whether a place is decided by it. */
  readonly done: (place: HTMLElement) => boolean
  readonly ask: () => Promise<string | undefined>
}

interface OneDecision {
  readonly id: string
  readonly decision: CallDecision
  readonly grant: GrantTerms | undefined
}

/** The grant is made first: where it is refused, nothing is decided. */
const decideOne = async (approval: Approval, { id, decision, grant }: OneDecision): Promise<undefined> => {
  if (grant !== undefined) await server.grant(approval.session_id, grant, suggestedSeconds)
  await server.decide(approval, { decisions: { [id]: decision } })
}

/** Sends what is decided in a card. The focus moves on at once, so that the next key meets what the person sees. */
export const useDecisions = (approval: Approval) => {
  const card = useRef<HTMLElement>(null)
  const [sending, setSending] = useState<readonly string[]>([])
  const [isAnswered, setAnswered] = useState(false)
  const [failure, setFailure] = useState<string>()
  const [note, setNote] = useState<string>()

  const attempt = async ({ ids, done, ask }: Attempt): Promise<boolean> => {
    const { activeElement: from } = document
    const moved = moveOn(card.current, done)
    setSending((others) => [...others, ...ids])
    setFailure(undefined)
    let isDone = true
    try {
      setNote(await ask())
      await approvalsRefresher.now()
    } catch (error) {
      isDone = false
      setFailure(errorMessage(error))
    }
    setSending((others) => others.filter((id) => !ids.includes(id)))
    // What failed gets the focus back, unless the person has taken it elsewhere.
    const back = from?.closest<HTMLElement>("[data-pending], textarea") ?? null
    if (!isDone && moved !== undefined && document.activeElement === moved) back?.focus()
    return isDone
  }

  return {
    card,
    sending,
    isAnswered,
    failure,
    note,
    /** With a grant, calls like this one need no decision from now on. */
    one: (id: string, decision: CallDecision, grant?: GrantTerms) =>
      attempt({
        ids: [id],
        done: isCall([id]),
        ask: () => decideOne(approval, { id, decision, grant }),
      }),
    all: (decision: GeneralDecision) => {
      const included = approval.pending.filter((call) => decision.action !== "accept" || call.protected !== true)
      const ids = included.map(({ id }) => id)
      return attempt({
        ids,
        done: isCall(ids),
        ask: async () => {
          const { protected_pending: left } = await server.decide(approval, { all: decision })
          return leftText(approval, left)
        },
      })
    },
    answer: async (message: string) => {
      const { run_id, checkpoint_id } = approval
      const ask = async () => void (await server.say(approval.session_id, { message, run_id, checkpoint_id }))
      setAnswered(await attempt({ ids: ["answer"], done: () => true, ask }))
    },
  }
}
