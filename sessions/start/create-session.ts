import { AdjutantError } from "../../contracts/adjutant-error.ts"
import type { RunSnapshot } from "../../contracts/run-snapshot.ts"
import type { Session } from "../../contracts/session/session.ts"
import { isFinal } from "../../domain/run/is-final.ts"
import { narrowLimits } from "../../domain/limits/narrow-limits.ts"
import { childSessionKey, mainSessionKey } from "../../domain/transcript/session-key.ts"
import type { NewSession, SessionPlace, SessionRow } from "../../store/store.ts"
import type { CreateSessionRequest } from "../start-request.ts"
import { auditedPerson } from "../authority/person-of-actor.ts"
import { auditedActor, keptTrace } from "../actor.ts"
import type { SessionsContext } from "../sessions-context.ts"
import { requireDirectoryAccess } from "../authority/require-authority.ts"
import { requireSession } from "../rows/require-session.ts"
import { parentSnapshot } from "../settings/resolve-follow-up.ts"
import { sessionView } from "../view/session-view.ts"
import type { SessionMark } from "./start-session.ts"
import { placeHere, placeOfSession } from "../rows/session-place.ts"
import { writeSession } from "./write-session.ts"

const requireChildSlot = async (context: SessionsContext, parent: SessionRow, snapshot: RunSnapshot): Promise<void> => {
  const { maxSpawnDepth, maxChildrenPerAgent } = snapshot.subagents
  if (parent.depth >= maxSpawnDepth)
    throw new AdjutantError(
      "forbidden",
      `a child session is not allowed at this depth (current depth: ${parent.depth}, max: ${maxSpawnDepth}): raise subagents.maxSpawnDepth`,
    )
  const { items } = await context.store.sessions.list({ parentId: parent.id, limit: 1_000 })
  const active = items.filter((child) => !isFinal(child.status)).length
  if (active >= maxChildrenPerAgent)
    throw new AdjutantError(
      "forbidden",
      `session ${parent.id} has reached max active children (${active}/${maxChildrenPerAgent}): wait for one to end, or raise subagents.maxChildrenPerAgent`,
    )
}

const sessionUnder = (
  parent: SessionRow | undefined,
  { snapshot, place }: { readonly snapshot: RunSnapshot; readonly place: SessionPlace | null },
  { request, internal = {} }: { readonly request: CreateSessionRequest; readonly internal: SessionMark["internal"] },
): ((id: string) => NewSession) => {
  const { agent, model, cwd } = snapshot
  return (id) => ({
    id,
    sessionKey: parent === undefined ? mainSessionKey(agent, id) : childSessionKey(agent, parent.sessionKey, id),
    title: request.title ?? null,
    agent,
    model,
    parentId: parent?.id ?? null,
    rootId: parent?.rootId ?? id,
    depth: parent === undefined ? 0 : parent.depth + 1,
    cwd,
    label: request.label ?? null,
    metadata: request.metadata ?? {},
    internal: {
      ...internal,
      ...keptTrace(request.actor),
      ...(parent === undefined ? {} : { by_hand: true }),
      ...(request.model === undefined ? {} : { named_model: true }),
    },
    place,
    caller: parent === undefined ? (request.caller ?? null) : null,
  })
}

/**
 * Creates a session without a run; its first message starts one. Settings that could not run are already refused here.
 * @throws AdjutantError of the resolution, `session_not_found` for the parent, `forbidden` if it may not have more children or the caller may not use the
 * directory, `limit_widened`
 */
export const createSession = async (
  context: SessionsContext,
  request: CreateSessionRequest,
  internal: SessionMark["internal"] = {},
): Promise<Session> => {
  const { store } = context
  const { agent, model, cwd, parentId, sessionId } = request
  const known = sessionId === undefined ? undefined : await store.sessions.get(sessionId)
  if (known !== undefined) return await sessionView(context, await requireSession(store, known.id))
  const parent = parentId === undefined ? undefined : await requireSession(store, parentId)
  if (parent !== undefined) await requireDirectoryAccess(request.actor, parent)
  const snapshot = await context.resolveRun({ prompt: "", agent, model, cwd, actor: request.actor })
  const base = parent === undefined ? undefined : await parentSnapshot(context, parent.id)
  if (parent !== undefined && base !== undefined) {
    await requireChildSlot(context, parent, base)
    requireInside(base, snapshot)
  }
  const place = await (parent?.cwd === snapshot.cwd
    ? placeOfSession(store, parent.id)
    : placeHere(context, snapshot.cwd))
  const newSession = sessionUnder(parent, { snapshot, place }, { request, internal })
  const { id } = await writeSession(store, sessionId, newSession)
  await store.audit.record({
    sessionId: id,
    runId: null,
    action: "create",
    ...auditedActor(request.actor),
    detail: { agent: snapshot.agent, ...auditedPerson(context.loaded, request.actor) },
  })
  return await sessionView(context, await requireSession(store, id))
}

/** Refuses a working directory or model that the parent may not use; the other settings are narrowed when the child starts. */
const requireInside = (base: RunSnapshot, wanted: RunSnapshot): void => {
  const { snapshot } = narrowLimits(base, wanted)
  if (snapshot.cwd !== wanted.cwd)
    throw new AdjutantError("limit_widened", `cwd ${wanted.cwd} is outside the parent's ${base.cwd}: choose one inside`)
  if (snapshot.model !== wanted.model)
    throw new AdjutantError(
      "limit_widened",
      `model ${wanted.model} is in a higher tier than the parent's ${base.model} in modelTiers: choose another one`,
    )
}
