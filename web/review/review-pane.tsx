import { useEffect, useRef } from "preact/hooks"
import { counted } from "../../domain/text/figures.ts"
import { approvals, waitingCount } from "../state/approvals.ts"
import { ApprovalCard } from "./approval-card.tsx"

/** Everything that waits for a person, at full width. The keys go to the pause that the address names, or else to the first. */
export const ReviewPane = ({ checkpoint }: { readonly checkpoint: string | undefined }) => {
  const place = useRef<HTMLElement>(null)
  const items = approvals.value
  const isKnown = items !== undefined
  useEffect(() => {
    const cards = [...(place.current?.querySelectorAll<HTMLElement>("[data-checkpoint]") ?? [])]
    const wanted = cards.find((card) => card.dataset["checkpoint"] === checkpoint) ?? cards[0]
    wanted?.scrollIntoView({ block: "nearest" })
    wanted?.querySelector<HTMLElement>("[data-pending], textarea")?.focus({ preventScroll: true })
  }, [checkpoint, isKnown])
  return (
    <section id="review" aria-label="Review" ref={place}>
      <h2>Waiting for you</h2>
      <p class="quiet">
        {items === undefined ? "Reading the approvals …" : `${counted(waitingCount.value, "decision")} pending. `}
        <kbd>y</kbd> approves, <kbd>n</kbd> rejects with a reason, <kbd>e</kbd> edits; <kbd>j</kbd> and <kbd>k</kbd>{" "}
        move.
      </p>
      {items?.map((approval) => (
        <div key={approval.checkpoint_id} data-checkpoint={approval.checkpoint_id}>
          <ApprovalCard approval={approval} />
        </div>
      ))}
      {items?.length === 0 && <p class="empty">Nothing is waiting. Calls that need approval are shown here.</p>}
    </section>
  )
}
