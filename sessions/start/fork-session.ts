import { AdjutantError } from "../../contracts/adjutant-error.ts"
import type { Session } from "../../contracts/session/session.ts"
import { hasMedia } from "../../domain/media/model-messages.ts"
import { type ForkPoint, forkPoint } from "../../domain/transcript/fork-point.ts"
import { mainSessionKey, parseSessionKey } from "../../domain/transcript/session-key.ts"
import type { MessageRow, NewSession, SessionRow, Store } from "../../store/store.ts"
import type { ForkRequest } from "../start-request.ts"
import { auditedPerson } from "../authority/person-of-actor.ts"
import { auditedActor } from "../actor.ts"
import type { SessionsContext } from "../sessions-context.ts"
import { requireDirectoryAccess, withinAuthority } from "../authority/require-authority.ts"
import { requireSession } from "../rows/require-session.ts"
import { latestSnapshot } from "../settings/resolve-follow-up.ts"
import { newRunId } from "../session-id.ts"
import { sessionView } from "../view/session-view.ts"
import { placeOfSession, requireDirectory } from "../rows/session-place.ts"
import { writeSession } from "./write-session.ts"

/** Returns the key of a fork: a separate tree, at the depth of the original, so that a fork of a leaf is a leaf. */
const forkKey = (source: SessionRow, id: string): string => {
  const parts = parseSessionKey(source.sessionKey)
  if (parts === undefined || parts.depth === 0) return mainSessionKey(source.agent, id)
  return `agent:${source.agent}${[...parts.ids.slice(0, -1), id].map((each) => `:subagent:${each}`).join("")}`
}

const requireForkPoint = (source: SessionRow, rows: readonly MessageRow[], atStep: number): ForkPoint => {
  const point = forkPoint(rows, atStep)
  if (point === undefined)
    throw new AdjutantError(
      "invalid_argument",
      `session ${source.id} has no step ${atStep}: set at_step to at most ${source.stepsTaken}`,
    )
  return point
}

const writeFork = async (
  store: Pick<Store, "sessions" | "machines">,
  source: SessionRow,
  { newSessionId, atStep }: ForkRequest,
): Promise<NewSession> => {
  const place = await placeOfSession(store, source.id)
  return writeSession(store, newSessionId, (id) => ({
    id,
    sessionKey: forkKey(source, id),
    title: source.title,
    agent: source.agent,
    model: source.model,
    parentId: null,
    rootId: id,
    depth: source.depth,
    cwd: source.cwd,
    label: null,
    metadata: source.metadata,
    internal: { ...source.internal, forked_from: source.id, forked_at_step: atStep, traceparent: null },
    place,
  }))
}

/** Copies the transcript up to the fork point, with the images and PDF files in it; calls without a result are answered as skipped. */
const copyTranscript = async (
  store: Pick<Store, "messages" | "media">,
  { from, to, rows }: { readonly from: string; readonly to: string; readonly rows: readonly MessageRow[] },
  point: ForkPoint,
  step: { readonly runId: string; readonly step: number },
): Promise<void> => {
  const media = rows.flatMap(({ seq, message }) =>
    seq <= point.lastSeq && hasMedia(message) ? message.media.map(({ id }) => id) : [],
  )
  await store.media.copy(from, to, [...new Set(media)])
  await store.messages.copy(from, to, point.lastSeq)
  await store.messages.putAll(
    to,
    point.unanswered.map((call, index) => ({
      ...step,
      fence: 0,
      seq: point.lastSeq + 1 + index,
      message: {
        role: "tool",
        call_id: call.id,
        name: call.name,
        outcome: "skipped",
        content: "not run: the session was forked before this call ended",
      } as const,
    })),
  )
}

/**
 * Creates a session that begins with the first steps of another one. The copied steps are a finished run with the settings of the original's latest run,
 * with at most the approval that the caller may give. The next message starts a run within these limits.
 * @throws AdjutantError `session_not_found`, `forbidden`, `invalid_argument` for a step that does not exist
 */
export const forkSession = async (context: SessionsContext, request: ForkRequest): Promise<Session> => {
  const { store } = context
  const { actor, atStep } = request
  const known = request.newSessionId === undefined ? undefined : await store.sessions.get(request.newSessionId)
  if (known !== undefined && known.runId !== null)
    return await sessionView(context, await requireSession(store, known.id))
  const source = await requireSession(store, request.sessionId)
  await requireDirectoryAccess(actor, source)
  if (source.runId === null)
    throw new AdjutantError("invalid_argument", `session ${source.id} has no step yet: send it a message first`)
  const snapshot = withinAuthority(await latestSnapshot(context, source), actor)
  if (snapshot.worktree !== undefined)
    throw new AdjutantError(
      "invalid_argument",
      `session ${source.id} works in a git worktree, which two sessions cannot share: start a new sub-agent`,
    )
  await requireDirectory(context, source)
  const rows = await store.messages.read(source.id, { headSeq: source.headSeq })
  const point = requireForkPoint(source, rows, atStep)
  const { id } = known ?? (await writeFork(store, source, request))
  const runId = newRunId()
  await copyTranscript(store, { from: source.id, to: id, rows }, point, { runId: point.runId ?? runId, step: atStep })
  await store.runs.create({ runId, sessionId: id, snapshotHash: await store.snapshots.put(snapshot) })
  const outcome = {
    status: "completed",
    stopReason: "completed",
    finalMessage: point.text,
    stepsTaken: atStep,
  } as const
  await store.runs.patch(runId, { ...outcome, finishedAt: new Date().toISOString() })
  await store.audit.record({
    sessionId: id,
    runId,
    action: "fork",
    ...auditedActor(actor),
    detail: { from: source.id, at_step: atStep, ...auditedPerson(context.loaded, actor) },
  })
  await store.sessions.patch(id, { ...outcome, runId, headSeq: point.lastSeq + point.unanswered.length })
  return await sessionView(context, await requireSession(store, id))
}
