import { useEffect, useRef } from "preact/hooks"
import { counted } from "../../domain/text/figures.ts"
import { visible } from "../../domain/text/visible.ts"
import type { Approval } from "../api/shapes.ts"
import { elapsed } from "../shown/figures.ts"
import { reviewLink } from "../state/address.ts"
import { approvals, waitingCount } from "../state/approvals.ts"
import { now } from "../state/clock.ts"
import { HeldCards } from "./held-cards.tsx"
import { beginReview } from "./places.ts"
import { requestText } from "./request-text.ts"

/** Longer lists are folded: the first diff stays on the first screen. */
const fewItems = 6

/** One line for each pause, which leads to it. */
const AtAGlance = ({ items }: { readonly items: readonly Approval[] }) => (
  <details open={items.length <= fewItems}>
    <summary>
      <span class="title">{items.length} sessions wait, the longest first</span>
    </summary>
    <ul class="glance">
      {items.map((approval) => (
        <li key={approval.checkpoint_id}>
          <a href={reviewLink(approval.checkpoint_id)}>{visible(approval.title ?? approval.session_id)}</a>{" "}
          <span class="quiet">
            {requestText(approval)} · {elapsed(approval.opened_at, now.value)}
          </span>
        </li>
      ))}
    </ul>
  </details>
)

const Keys = () => (
  <p class="quiet">
    {counted(waitingCount.value, "decision")} pending. Buttons decide at once. <kbd>y</kbd> arms the approval of the
    call that has the focus, and <kbd>Ctrl</kbd>+<kbd>Enter</kbd> carries it out; <kbd>n</kbd> goes to the reason of a
    rejection, which <kbd>Ctrl</kbd>+<kbd>Enter</kbd> sends; <kbd>e</kbd> edits; <kbd>v</kbd> folds what you have
    viewed; <kbd>Escape</kbd> leads from a field back to its call. <kbd>j</kbd> and <kbd>k</kbd> move; <kbd>Enter</kbd>{" "}
    goes into the card of another session.
  </p>
)

/** Everything that waits for a person, at full width. The keys go to the pause that the address names, or else to the first. */
export const ReviewPane = ({ checkpoint }: { readonly checkpoint: string | undefined }) => {
  const place = useRef<HTMLElement>(null)
  const items = approvals.value
  const isKnown = items !== undefined
  useEffect(() => {
    const cards = [...(place.current?.querySelectorAll<HTMLElement>("[data-checkpoint]") ?? [])]
    const wanted = cards.find((card) => card.dataset["checkpoint"] === checkpoint) ?? cards[0]
    wanted?.scrollIntoView({ block: "nearest" })
    beginReview(wanted?.querySelector<HTMLElement>("article"))
  }, [checkpoint, isKnown])
  return (
    <section id="review" aria-label="Review" ref={place}>
      <h2>Waiting for you</h2>
      {items === undefined && <p class="quiet">Reading the approvals …</p>}
      {items !== undefined && items.length > 0 && <Keys />}
      {items !== undefined && items.length > 1 && <AtAGlance items={items} />}
      <HeldCards items={items ?? []} />
      {items?.length === 0 && <p class="empty">Nothing is waiting. Calls that need approval are shown here.</p>}
    </section>
  )
}
