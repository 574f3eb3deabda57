import { createHash } from "node:crypto"
import { AdjutantError } from "../../contracts/adjutant-error.ts"
import type { GeneralDecision } from "../../contracts/approval/decision.ts"
import { notIncluded } from "../../domain/calls/apply-decision.ts"
import { fullAuthority } from "../../domain/caller/authority.ts"
import { idempotencyLeaseMs } from "../../domain/caller/idempotency-lease.ts"
import type { PauseRow, Store } from "../../store/store.ts"
import type { DecideRequest } from "../decide-request.ts"
import type {
  LinkDecision,
  LinkedDecision,
  LinkHolder,
  OpenedLink,
  SingleDecisions,
  WholeDecision,
} from "../pauses/links/link.ts"
import type { RemoteActor } from "../actor.ts"
import type { Sent } from "../send-request.ts"
import { type ApprovalClaim, readApprovalToken } from "../pauses/links/approval-token.ts"
import { approvalOf } from "../pauses/approvals.ts"
import type { SessionsContext } from "../sessions-context.ts"
import { decide } from "./decide.ts"
import { wholeCalls } from "../pauses/pending-calls.ts"
import { decideRefusedAction, loadPauseDecisions } from "../pauses/pause-decisions.ts"
import { withRefusalAudited } from "../audit/audit-refusal.ts"
import { linkSecretName, requireOpenPause } from "../pauses/links/issue-link.ts"
import { linkDecisions } from "../pauses/links/link-decisions.ts"
import { requireSession } from "../rows/require-session.ts"
import { sendMessage } from "../messages/send-message.ts"

export { issueLink } from "../pauses/links/issue-link.ts"

type Reading<Tables extends keyof Store> = Pick<SessionsContext, "loaded"> & {
  readonly store: Pick<Store, Tables | "secret">
}

const readClaim = async ({ store }: Reading<"secret">, token: string): Promise<ApprovalClaim> =>
  readApprovalToken(await store.secret(linkSecretName), token, Date.now())

/**
 * Requires that the person for whom a link was made is still one of `people`: as nobody there, they would have more rights than before.
 * @throws AdjutantError `forbidden`
 */
const requirePresent = ({ loaded }: Pick<SessionsContext, "loaded">, { person }: ApprovalClaim): void => {
  if (person !== undefined && !Object.hasOwn(loaded.config.people, person))
    throw new AdjutantError(
      "forbidden",
      `this link was made for ${person}, who is no longer in people: ask for a new one`,
    )
}

/**
 * Returns the calls that an approval of the whole pause does not include, because each of them needs a decision that names it. If the pause has had one
 * call only, the link shows that call, so that an approval of the whole pause means it. If it has had several, the one that is left has to be named.
 */
const decidedById = async (
  store: Pick<Store, "events" | "audit">,
  pause: PauseRow,
): Promise<OpenedLink["decidedById"]> => {
  const ids = notIncluded({ action: "accept" }, pause.calls).map(({ id }) => id)
  if (ids.length === 0 || pause.calls.length > 1) return ids
  return (await loadPauseDecisions(store, pause)).actions.size === 0 ? [] : ids
}

/**
 * Returns what a link can decide, without deciding anything. `isWhole`: with all of each long preview.
 * @throws AdjutantError `forbidden`, `link_invalid`, `link_expired`, `checkpoint_stale` if the pause is no longer open
 */
export const openLink = async (
  context: Reading<"sessions" | "pauses" | "events" | "audit" | "callPreviews">,
  token: string,
  { isWhole = false }: { readonly isWhole?: boolean } = {},
): Promise<OpenedLink> => {
  const { store } = context
  const claim = await readClaim(context, token)
  requirePresent(context, claim)
  const pause = await requireOpenPause(store, claim.checkpointId)
  const row = await requireSession(store, pause.sessionId)
  const calls = isWhole ? await wholeCalls({ store }, pause) : pause.calls
  return {
    approval: approvalOf({ ...pause, calls }, row),
    expiresAt: new Date(claim.expiresAtMs).toISOString(),
    to: claim.to,
    decidedById: await decidedById(store, pause),
  }
}

/** Returns who decided what on the pause of a link, also after it has closed. @throws AdjutantError `forbidden`, `link_invalid`, `link_expired` */
export const decisionsOfLink = async (
  context: Reading<"pauses" | "events" | "audit">,
  token: string,
): Promise<readonly LinkedDecision[]> => {
  const { store } = context
  const claim = await readClaim(context, token)
  requirePresent(context, claim)
  const pause = await store.pauses.byCheckpoint(claim.checkpointId)
  return pause === undefined ? [] : await linkDecisions(store, pause)
}

const editedCall = ({ calls }: PauseRow, args: WholeDecision["arguments"]): Pick<DecideRequest, "decisions"> => {
  const [only, ...others] = calls
  if (args === undefined || only === undefined || others.length > 0)
    throw new AdjutantError(
      "invalid_argument",
      "edit requires arguments, and a pause with one call: decide several calls with POST /v1/sessions/{id}/tools/decisions",
    )
  return { decisions: { [only.id]: { action: "edit", arguments: { ...args } } } }
}

const generalDecision = (action: GeneralDecision["action"], content: string | undefined): GeneralDecision => {
  if (action === "custom_result") {
    if (content === undefined || content === "")
      throw new AdjutantError(
        "invalid_argument",
        "content must contain the result: add it, or use another action than custom_result",
      )
    return { action, content }
  }
  return action === "reject" && content !== undefined && content !== "" ? { action, content } : { action }
}

/**
 * Returns the decision of a whole pause. If the link shows a single call, the decision names that call: a call that changes protected files is approved only
 * by name.
 */
const ofWholePause = async (
  { store }: SessionsContext,
  pause: PauseRow,
  asked: WholeDecision,
): Promise<Pick<DecideRequest, "all" | "decisions">> => {
  if (asked.action === "edit") return editedCall(pause, asked.arguments)
  const decision = generalDecision(asked.action, asked.content)
  const [only] = notIncluded(decision, pause.calls)
  const isNamed = only !== undefined && pause.calls.length === 1 && (await decidedById(store, pause)).length === 0
  return isNamed ? { decisions: { [only.id]: decision } } : { all: decision }
}

/** Returns in whose name a link decides. @throws AdjutantError `forbidden` if it was issued to the holder of another token */
const deciderOf = ({ id, to }: ApprovalClaim, holder: LinkHolder | undefined): string => {
  if (holder === undefined) return to ?? `link ${id.slice(0, 8)}`
  if (to !== null && to !== holder.name && holder.isNamed(to))
    throw new AdjutantError("forbidden", "this link was issued to someone else: ask for one of your own")
  return holder.name
}

/**
 * Returns who decides, if that is proved: by a token, or because the link was sent to one person alone. The name in any other link proves nothing: a caller
 * who asks for a link can name anybody.
 */
const identityOf = ({ person }: ApprovalClaim, holder: LinkHolder | undefined): Pick<RemoteActor, "identity"> => {
  if (holder !== undefined) return { identity: { kind: "token", id: holder.name } }
  return person === undefined ? {} : { identity: { kind: "person", id: person } }
}

/** An approver issued the link, so its holder may approve, too. */
const linkActor = (claim: ApprovalClaim, holder: LinkHolder | undefined): RemoteActor => ({
  by: deciderOf(claim, holder),
  via: "link",
  kind: "person",
  authority: fullAuthority,
  ...identityOf(claim, holder),
})

/** Decides single calls. The first decision on a call counts, as everywhere; the link is used up when its pause is decided. */
const decideSingleCalls = async (
  context: SessionsContext,
  claim: ApprovalClaim,
  { decision, holder }: { readonly decision: SingleDecisions; readonly holder: LinkHolder | undefined },
): Promise<Sent> => {
  const { sessionId, checkpointId } = claim
  await requireOpenPause(context.store, checkpointId)
  return await decide(context, {
    sessionId,
    checkpointId,
    decisions: { ...decision.decisions },
    unlisted: "pending",
    actor: linkActor(claim, holder),
  })
}

const decideWholePause = async (
  context: SessionsContext,
  claim: ApprovalClaim,
  { decision, holder }: { readonly decision: WholeDecision; readonly holder: LinkHolder | undefined },
): Promise<Sent> => {
  const { sessionId, checkpointId } = claim
  const actor = linkActor(claim, holder)
  const pause = await requireOpenPause(context.store, checkpointId)
  if (pause.type === "tool_approval_required")
    return await decide(context, {
      sessionId,
      checkpointId,
      ...(await ofWholePause(context, pause, decision)),
      unlisted: "pending",
      actor,
    })
  const answer = decision.action === "edit" ? undefined : generalDecision(decision.action, decision.content)
  if (answer?.action !== "custom_result")
    throw new AdjutantError(
      "invalid_argument",
      "the session is waiting for an answer: use action custom_result with content",
    )
  return await sendMessage(context, { sessionId, checkpointId, type: "message", text: answer.content, actor })
}

/**
 * Decides the whole pause, once per link, or single calls of it. A link whose decision was refused, or left calls pending, can be used again.
 * @throws AdjutantError `forbidden link_invalid link_expired link_used checkpoint_stale already_decided invalid_argument temporal_unavailable`
 */
export const decideByLink = async (
  context: SessionsContext,
  token: string,
  { decision, holder }: { readonly decision: LinkDecision; readonly holder?: LinkHolder | undefined },
): Promise<Sent> => {
  const { idempotencyKeys } = context.store
  const claim = await readClaim(context, token)
  const { sessionId, checkpointId } = claim
  const asked = { sessionId, action: decideRefusedAction, detail: { checkpoint_id: checkpointId } }
  const actor = linkActor(claim, undefined)
  await withRefusalAudited(context.store, { ...asked, actor }, async () => requirePresent(context, claim))
  if ("decisions" in decision) return await decideSingleCalls(context, claim, { decision, holder })
  const key = { scope: "approval-link", key: claim.id }
  const fingerprint = createHash("sha256")
    .update(
      JSON.stringify([
        decision.action,
        decision.content ?? null,
        ...(decision.arguments === undefined ? [] : [decision.arguments]),
      ]),
    )
    .digest("hex")
  const keepMs = Math.max(1, claim.expiresAtMs - Date.now())
  const state = await idempotencyKeys.begin({ ...key, fingerprint, keepMs, leaseMs: idempotencyLeaseMs })
  if (state.kind !== "begun") throw new AdjutantError("link_used", "this link was already used: ask for a new one")
  try {
    const sent = await decideWholePause(context, claim, { decision, holder })
    // The link stays valid for the calls that are left.
    if (sent.protectedPending === undefined && sent.counted === undefined)
      await idempotencyKeys.finish(key, { status: 200, body: sent.runId })
    else await idempotencyKeys.release(key)
    return sent
  } catch (error) {
    await idempotencyKeys.release(key)
    throw error
  }
}
