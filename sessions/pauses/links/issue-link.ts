import { randomBytes } from "node:crypto"
import { AdjutantError } from "../../../contracts/adjutant-error.ts"
import type { PauseRow, Store } from "../../../store/store.ts"
import { auditedActor } from "../../actor.ts"
import type { LinkRequest, IssuedLink } from "./link.ts"
import { type ApprovalClaim, signApprovalToken } from "./approval-token.ts"
import { requireApprover, requireDirectoryAccess } from "../../authority/require-authority.ts"
import { requireMay } from "../../authority/require-may.ts"
import type { SessionsContext } from "../../sessions-context.ts"
import { requireSession } from "../../rows/require-session.ts"
import { unknownCheckpoint } from "../../../domain/caller/missing-targets.ts"

/** The name of the store's secret that signs links. */
export const linkSecretName = "approval-links"
const defaultTtlMs = 7 * 86_400_000
const longestTtlMs = 90 * 86_400_000

const closedError = (sessionId: string): AdjutantError =>
  new AdjutantError(
    "checkpoint_stale",
    `this pause of session ${sessionId} is no longer open: nothing is left to decide`,
  )

/** Returns an open pause. @throws AdjutantError `checkpoint_not_found`, `checkpoint_stale` if it is no longer open */
export const requireOpenPause = async (
  store: Pick<Store, "sessions" | "pauses">,
  checkpointId: string,
): Promise<PauseRow> => {
  const pause = await store.pauses.byCheckpoint(checkpointId)
  if (pause === undefined) throw unknownCheckpoint(checkpointId)
  await requireSession(store, pause.sessionId)
  if (pause.closedAt !== null) throw closedError(pause.sessionId)
  return pause
}

/** Signs a link for an open pause. @throws AdjutantError `checkpoint_not_found`, `checkpoint_stale` */
export const signLink = async (
  store: Pick<Store, "sessions" | "pauses" | "secret">,
  { checkpointId, to, person, ttlMs = defaultTtlMs }: Omit<LinkRequest, "actor"> & { readonly person?: string },
): Promise<IssuedLink> => {
  const { sessionId } = await requireOpenPause(store, checkpointId)
  const expiresAtMs = Date.now() + Math.min(ttlMs, longestTtlMs)
  const id = randomBytes(16).toString("base64url")
  const claim: ApprovalClaim = {
    id,
    sessionId,
    checkpointId,
    expiresAtMs,
    to: to ?? person ?? null,
    ...(person === undefined ? {} : { person }),
  }
  return {
    token: signApprovalToken(await store.secret(linkSecretName), claim),
    expiresAt: new Date(expiresAtMs).toISOString(),
  }
}

/**
 * Issues a link. Only an approver may issue one, since its holder may decide. The audit has who issued it: a decision is recorded in the name of `to`,
 * and the holder can be another person.
 * @throws AdjutantError `checkpoint_not_found`, `checkpoint_stale`, `forbidden`
 */
export const issueLink = async (
  {
    store,
    loaded,
  }: Pick<SessionsContext, "loaded"> & {
    readonly store: Pick<Store, "sessions" | "pauses" | "secret" | "audit">
  },
  { actor, ...request }: LinkRequest,
): Promise<IssuedLink> => {
  requireApprover(actor, "an approval link")
  const { checkpointId, to = null } = request
  const { sessionId, runId, calls } = await requireOpenPause(store, checkpointId)
  const row = await requireSession(store, sessionId)
  await requireDirectoryAccess(actor, row)
  // Otherwise, whoever uses the link needs a token of their own.
  if (!loaded.config.http.linksNeedToken)
    requireMay(loaded, actor, { what: "a link", calls: calls.map(({ name }) => ({ name, profile: row.agent })) })
  const link = await signLink(store, request)
  if (actor === undefined) return link
  const detail = { checkpoint_id: checkpointId, to, expires_at: link.expiresAt }
  await store.audit.record({ sessionId, runId, action: "link", ...auditedActor(actor), detail })
  return link
}
