import { createHmac, timingSafeEqual } from "node:crypto"
import type { Decide, SentDecision } from "../../contracts/approval/decision.ts"
import type { Store } from "../../store/store.ts"

/** The name of the store's secret that signs decisions. */
const decisionSecretName = "decisions"

const fieldsOf = (decision: SentDecision | undefined): readonly (string | null)[] | null => {
  if (decision === undefined) return null
  if (decision.action === "edit")
    return [decision.action, "arguments_id" in decision ? decision.arguments_id : JSON.stringify(decision.arguments)]
  return [decision.action, decision.action === "accept" ? null : (decision.content ?? null)]
}

/** Returns everything that a decision says as one text, regardless of the order of its fields. */
const textOf = (sessionId: string, decide: Decide): string => {
  const { decision_id, run_id, checkpoint_id, decisions, unlisted, all, by, via, approval } = decide
  const calls = Object.entries(decisions)
    .map(([id, decision]) => [id, fieldsOf(decision)] as const)
    .toSorted(([left], [right]) => (left < right ? -1 : 1))
  return JSON.stringify([
    ...[1, sessionId, decision_id, run_id ?? null, checkpoint_id ?? null],
    ...[calls, unlisted, fieldsOf(all), by ?? null, via ?? null, approval ?? null],
  ])
}

const signatureOf = async (store: Pick<Store, "secret">, sessionId: string, decide: Decide): Promise<Buffer> =>
  createHmac("sha256", Buffer.from(await store.secret(decisionSecretName), "hex"))
    .update(`adjutant decision ${textOf(sessionId, decide)}`)
    .digest()

/**
 * Signs a decision for one session. With access to Temporal alone, a decision can be signalled under any sender, but not signed. The secret is in the
 * store alone; the signature is in the history, too.
 */
export const signDecision = async (
  store: Pick<Store, "secret">,
  sessionId: string,
  decide: Decide,
): Promise<Decide> => ({ ...decide, signature: (await signatureOf(store, sessionId, decide)).toString("base64url") })

/** Returns whether a program with this store sent the decision, to this session and with exactly this content. */
export const isSignedDecision = async (
  store: Pick<Store, "secret">,
  sessionId: string,
  decide: Decide,
): Promise<boolean> => {
  if (decide.signature === undefined) return false
  const expected = await signatureOf(store, sessionId, decide)
  const given = Buffer.from(decide.signature, "base64url")
  return given.length === expected.length && timingSafeEqual(given, expected)
}
