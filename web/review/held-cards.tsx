import { useRef } from "preact/hooks"
import type { Approval } from "../api/shapes.ts"
import { ApprovalCard } from "./approval-card.tsx"
import { useHeld } from "./use-held.ts"

/** The cards of pauses, and of one that is over while somebody is in its card. */
export const HeldCards = ({ items }: { readonly items: readonly Approval[] }) => {
  const place = useRef<HTMLDivElement>(null)
  const { held, onFocusOut } = useHeld(items, ({ checkpoint_id: id }) => id, place, "data-checkpoint")
  return (
    <div ref={place} onFocusOut={onFocusOut}>
      {held.map(({ item: approval, isGone }, index) => (
        <div key={approval.checkpoint_id} data-checkpoint={approval.checkpoint_id}>
          <ApprovalCard
            approval={approval}
            isGone={isGone}
            next={(held[index + 1] ?? held.find((each) => !each.isGone))?.item}
          />
        </div>
      ))}
    </div>
  )
}
