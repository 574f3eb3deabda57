import { useState } from "preact/hooks"
import type { Session } from "../../contracts/session/session.ts"
import { errorMessage } from "../../domain/text/error-message.ts"
import { server } from "../api/server.ts"
import { money } from "../shown/figures.ts"
import { continueText, type RaisableLimit, raisableLimits } from "../shown/raisable-limits.ts"
import { sessionLink } from "../state/address.ts"
import { mayApprove } from "../state/caller.ts"
import { go } from "../state/route.ts"
import { sessionsRefresher } from "../state/sessions.ts"

/** Returns what the button does: "Continue with 100 steps". */
export const raiseWords = (limits: readonly RaisableLimit[]): string =>
  `Continue with ${limits
    .map(({ field, offered }) => {
      if (field === "budget_usd") return money(offered)
      return `${offered} ${{ max_steps: "steps", budget_tokens: "tokens", timeout_seconds: "seconds" }[field]}`
    })
    .join(", ")}`

/** Continues a session that a limit of its own has ended, with twice that limit, and shows it. */
export const ContinueButton = ({ session, name }: { readonly session: Session; readonly name: string }) => {
  const [failure, setFailure] = useState<string>()
  const [isSending, setSending] = useState(false)
  const limits = raisableLimits(session)
  const link = sessionLink(session.id)
  if (limits.length === 0 || !mayApprove.value)
    return (
      <a class="button" href={link} aria-label={`Continue …: ${name}`}>
        Continue …
      </a>
    )
  const raised = Object.fromEntries(limits.map(({ field, offered }) => [field, offered]))
  const proceed = async (): Promise<void> => {
    setSending(true)
    try {
      await server.say(session.id, { type: "message", message: continueText, ...raised })
      void sessionsRefresher.now()
      go(link)
    } catch (error) {
      setFailure(errorMessage(error))
      setSending(false)
    }
  }
  const words = raiseWords(limits)
  return (
    <>
      <button disabled={isSending} aria-label={`${words}: ${name}`} onClick={() => void proceed()}>
        {words}
      </button>
      {failure !== undefined && (
        <span class="failure" role="alert">
          {failure}
        </span>
      )}
    </>
  )
}
