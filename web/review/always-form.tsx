import { useLayoutEffect, useRef } from "preact/hooks"
import { grantWords, suggestedSeconds } from "../../domain/advice/suggest-grant.ts"
import type { GrantTerms } from "../../domain/approval/grant-terms.ts"
import { visible } from "../../domain/text/visible.ts"
import { timeOfDay } from "../shown/figures.ts"
import { now } from "../state/clock.ts"

/** Shows the grant that "always allow" makes, before it is made. */
export const AlwaysForm = ({
  grant,
  isOff,
  onGrant,
  onClose,
}: {
  readonly grant: GrantTerms
  readonly isOff: boolean
  readonly onGrant: () => void
  readonly onClose: () => void
}) => {
  const place = useRef<HTMLButtonElement>(null)
  useLayoutEffect(() => place.current?.focus(), [])
  return (
    <div class="always" role="group" aria-label="Always allow">
      <p>
        Calls like this one run without a decision in this session until{" "}
        {timeOfDay(now.value + suggestedSeconds * 1_000)}: <code>{visible(grantWords(grant))}</code>
      </p>
      <div class="bar">
        <button class="main" disabled={isOff} onClick={onGrant}>
          Approve and allow
        </button>
        <button
          ref={place}
          onClick={(event) => {
            event.currentTarget.closest<HTMLElement>("[data-pending]")?.focus()
            onClose()
          }}
        >
          Ask each time
        </button>
      </div>
    </div>
  )
}
