import { AdjutantError } from "../../contracts/adjutant-error.ts"
import { createGrantBodySchema, type Grant, grantSchema } from "../../contracts/http/grants.ts"
import { argumentProblem } from "../../contracts/argument-problem.ts"
import { runToolPolicy } from "../../domain/approval/tool-policy.ts"
import { grantProblem } from "../../domain/approval/grant-terms.ts"
import type { GrantRow, SessionRow } from "../../store/store.ts"
import { type Actor, auditedActor } from "../actor.ts"
import { requireApprover, requireDirectoryAccess } from "../authority/require-authority.ts"
import { requireMay } from "../authority/require-may.ts"
import { newGrantId } from "../session-id.ts"
import type { SessionsContext } from "../sessions-context.ts"
import type { Page } from "../rows/page.ts"
import { requireSession } from "../rows/require-session.ts"
import { viewOf } from "../view-of.ts"

export interface GrantRequest {
  readonly sessionId: string
  /** The exact name of a tool. */
  readonly tool: string
  /** Patterns by argument. */
  readonly patterns: Readonly<Record<string, string>>
  /** Default: one hour. */
  readonly expiresInSeconds?: number | undefined
  readonly actor: Actor
}

const mostActive = 50

const grantState = ({ revokedAt, expiresAt }: GrantRow): Grant["state"] => {
  if (revokedAt !== null) return "revoked"
  return Date.parse(expiresAt) <= Date.now() ? "expired" : "active"
}

const grantFields = grantSchema.keyof().options

const grantView = (row: GrantRow): Grant => viewOf(grantFields, { row, computed: { state: grantState(row) } })

const parseTerms = ({ tool, patterns, expiresInSeconds }: GrantRequest) => {
  const parsed = createGrantBodySchema.safeParse({
    ...{ tool, arguments: patterns },
    ...(expiresInSeconds === undefined ? {} : { expires_in_seconds: expiresInSeconds }),
  })
  if (parsed.success) return parsed.data
  throw new AdjutantError("invalid_argument", `the grant is not valid: ${argumentProblem(parsed.error)}`)
}

/** Requires that the settings of the session's latest run allow the tool at all. A session that has not run yet has no settings to compare. */
const requireGrantable = async (
  { store }: SessionsContext,
  row: SessionRow,
  terms: { readonly tool: string; readonly arguments: Readonly<Record<string, string>> },
): Promise<void> => {
  const run = await store.runs.latest(row.id)
  const snapshot = run === undefined ? undefined : await store.snapshots.get(run.snapshotHash)
  const mode = snapshot === undefined ? "prompt" : runToolPolicy({ name: terms.tool, readOnly: false }, snapshot)
  const problem = grantProblem(terms, mode)
  if (problem !== undefined) throw new AdjutantError(mode === "never" ? "forbidden" : "invalid_argument", problem)
}

const audit = (
  { store }: SessionsContext,
  { action, grant, actor }: { readonly action: "grant" | "grant-revoke"; readonly grant: Grant; readonly actor: Actor },
): Promise<void> =>
  store.audit.record({
    ...{ sessionId: grant.session_id, runId: null, action, ...auditedActor(actor) },
    detail: { grant_id: grant.id, tool: grant.tool, arguments: grant.arguments, expires_at: grant.expires_at },
  })

const requireGrant = (row: GrantRow | undefined, sessionId: string, grantId: string): Grant => {
  if (row !== undefined) return grantView(row)
  throw new AdjutantError("grant_not_found", `session ${sessionId} has no grant ${grantId}`, {
    reason: { about: "grants", task_id: sessionId },
  })
}

/**
 * Lets calls of a session run without a decision where policy asks for one, until the grant expires or is revoked. It counts from the next model turn
 * on, for this session only.
 * @throws AdjutantError `session_not_found`, `forbidden`, `invalid_argument`
 */
export const createGrant = async (context: SessionsContext, request: GrantRequest): Promise<Grant> => {
  const { store } = context
  const { sessionId, actor } = request
  const row = await requireSession(store, sessionId)
  requireApprover(actor, "a grant")
  await requireDirectoryAccess(actor, row)
  const terms = parseTerms(request)
  requireMay(context.loaded, actor, { what: "a grant", calls: [{ name: terms.tool, profile: row.agent }] })
  await requireGrantable(context, row, terms)
  const id = newGrantId()
  const expiresAt = new Date(Date.now() + terms.expires_in_seconds * 1_000).toISOString()
  const created = await store.grants.create(
    {
      id,
      sessionId,
      tool: terms.tool,
      arguments: terms.arguments,
      createdBy: actor.by,
      createdVia: actor.via,
      expiresAt,
    },
    mostActive,
  )
  if (!created)
    throw new AdjutantError(
      "invalid_argument",
      `session ${sessionId} has ${mostActive} active grants: revoke one first`,
      { reason: { about: "grants", task_id: sessionId } },
    )
  const stored = (await store.grants.list(sessionId)).find((grant) => grant.id === id)
  const grant = requireGrant(stored, sessionId, id)
  await audit(context, { action: "grant", grant, actor })
  return grant
}

/** Returns the grants of a session, oldest first. @throws AdjutantError `session_not_found` */
export const listGrants = async (
  { store }: Pick<SessionsContext, "store">,
  sessionId: string,
): Promise<Page<Grant>> => {
  await requireSession(store, sessionId)
  return { items: (await store.grants.list(sessionId)).map(grantView), next_cursor: null }
}

/**
 * Revokes a grant. Calls that have not started yet wait for a decision again. Revoking it again changes nothing.
 * @throws AdjutantError `session_not_found`, `grant_not_found`, `forbidden`
 */
export const revokeGrant = async (
  context: SessionsContext,
  { sessionId, grantId }: { readonly sessionId: string; readonly grantId: string },
  actor: Actor,
): Promise<Grant> => {
  const { store } = context
  const row = await requireSession(store, sessionId)
  requireApprover(actor, "revoking a grant")
  await requireDirectoryAccess(actor, row)
  const wasRevoked = (await store.grants.list(sessionId)).some(
    ({ id, revokedAt }) => id === grantId && revokedAt !== null,
  )
  const grant = requireGrant(await store.grants.revoke(sessionId, grantId, actor.by), sessionId, grantId)
  if (!wasRevoked) await audit(context, { action: "grant-revoke", grant, actor })
  return grant
}
