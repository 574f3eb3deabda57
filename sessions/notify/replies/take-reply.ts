import { isAdjutantError } from "../../../contracts/adjutant-error.ts"
import type { GeneralDecision } from "../../../contracts/approval/decision.ts"
import { fullAuthority } from "../../../domain/caller/authority.ts"
import type { PauseRow } from "../../../store/store.ts"
import type { RemoteActor } from "../../actor.ts"
import { decide } from "../../decide/decide.ts"
import { decideByLink } from "../../decide/approval-links.ts"
import type { Sent } from "../../send-request.ts"
import type { SessionsContext } from "../../sessions-context.ts"

export type ReplyAction = "accept" | "reject"

const said = ({ counted, protectedPending }: Sent, action: ReplyAction): string => {
  if (counted !== undefined) return `Your approval counts. The agent waits: ${counted.join("; ")}.`
  if (protectedPending !== undefined)
    return `Still waiting: ${protectedPending.join(", ")}. Decide each of them by itself.`
  return action === "accept" ? "Approved." : "Rejected."
}

/** Returns what a person is told of their decision; undefined where there is nothing to tell, such as of a word that came twice. */
const tell = async (action: ReplyAction, decideNow: () => Promise<Sent>): Promise<string | undefined> => {
  try {
    return said(await decideNow(), action)
  } catch (error) {
    if (!isAdjutantError(error)) throw error
    if (error.code === "link_used" || error.code === "link_invalid") return undefined
    if (error.code === "temporal_unavailable" || error.code === "storage_failed") throw error
    return `No decision was made: ${error.message}.`
  }
}

/** Decides by the signed word that a button published. It counts once. */
export const takeWord = (context: SessionsContext, word: string, action: ReplyAction): Promise<string | undefined> =>
  tell(action, () => decideByLink(context, word, { decision: { action } }))

/** A pause with a single call, which the message shows, names that call. */
const decisionFor = ({ calls }: PauseRow, decision: GeneralDecision) => {
  const [only, ...others] = calls
  return only === undefined || others.length > 0 ? { all: decision } : { decisions: { [only.id]: decision } }
}

/** Decides a pause in the name of an account that the service proves. */
export const takePress = (
  context: SessionsContext,
  pause: PauseRow,
  { action, actor }: { readonly action: ReplyAction; readonly actor: Omit<RemoteActor, "authority"> },
): Promise<string | undefined> =>
  tell(action, () =>
    decide(context, {
      ...{ sessionId: pause.sessionId, checkpointId: pause.checkpointId, unlisted: "pending", delivery: "signal" },
      ...decisionFor(pause, { action }),
      actor: { ...actor, authority: fullAuthority },
    }),
  )
