import type { Decide, SentDecision } from "../../contracts/approval/decision.ts"
import type { Store } from "../../store/store.ts"
import { isSignedWithStore, signWithStore } from "../authority/store-signature.ts"

const fieldsOf = (decision: SentDecision | undefined): readonly (string | null)[] | null => {
  if (decision === undefined) return null
  if (decision.action === "edit")
    return [decision.action, "arguments_id" in decision ? decision.arguments_id : JSON.stringify(decision.arguments)]
  return [decision.action, decision.action === "accept" ? null : (decision.content ?? null)]
}

/** Returns everything that a decision says as one text, regardless of the order of its fields. */
const decisionText = (sessionId: string, decide: Decide): string => {
  const { decision_id, run_id, checkpoint_id, decisions, unlisted, all, by, via, approval } = decide
  const calls = Object.entries(decisions)
    .map(([id, decision]) => [id, fieldsOf(decision)] as const)
    .toSorted(([left], [right]) => (left < right ? -1 : 1))
  return JSON.stringify([
    ...[1, sessionId, decision_id, run_id ?? null, checkpoint_id ?? null],
    ...[calls, unlisted, fieldsOf(all), by ?? null, via ?? null, approval ?? null],
  ])
}

const signedDecision = (sessionId: string, decide: Decide): string =>
  `adjutant decision ${decisionText(sessionId, decide)}`

/**
 * Signs a decision for one session. With access to Temporal alone, a decision can be signalled under any sender, but not signed. The secret is in the
 * store alone; the signature is in the history, too.
 */
export const signDecision = async (
  store: Pick<Store, "secret">,
  sessionId: string,
  decide: Decide,
): Promise<Decide> => ({ ...decide, signature: await signWithStore(store, signedDecision(sessionId, decide)) })

/** Returns whether a program with this store sent the decision, to this session and with exactly this content. */
export const isSignedDecision = (store: Pick<Store, "secret">, sessionId: string, decide: Decide): Promise<boolean> =>
  isSignedWithStore(store, signedDecision(sessionId, decide), decide.signature)
