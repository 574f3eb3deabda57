import { AdjutantError } from "../../contracts/adjutant-error.ts"
import type { Session } from "../../contracts/session.ts"
import { narrowApproval } from "../../domain/approval/narrow-approval.ts"
import { forkPoint } from "../../domain/transcript/fork-point.ts"
import { mainSessionKey, parseSessionKey } from "../../domain/transcript/session-key.ts"
import type { SessionRow } from "../../store/store.ts"
import type { ForkRequest } from "./start-request.ts"
import type { SessionsContext } from "../sessions-context.ts"
import { authorityOf, requireDirectoryAccess } from "../authority/require-authority.ts"
import { requireSession } from "../view/require-session.ts"
import { latestSnapshot } from "../settings/resolve-follow-up.ts"
import { newRunId } from "../session-id.ts"
import { sessionView } from "../view/session-view.ts"
import { writeSession } from "./write-session.ts"

/** A tree of its own, at the depth of the original: a fork of a leaf is a leaf. */
const forkKey = (source: SessionRow, id: string): string => {
  const parts = parseSessionKey(source.sessionKey)
  if (parts === undefined || parts.depth === 0) return mainSessionKey(source.agent, id)
  return `agent:${source.agent}${[...parts.ids.slice(0, -1), id].map((each) => `:subagent:${each}`).join("")}`
}

/**
 * A new session that begins with another one's first steps. What it took over stands there as a finished run, whose settings are those of the
 * original's latest run, with no more approval than the caller may give: the next message starts a run under at most these limits.
 * @throws AdjutantError `session_not_found`, `forbidden`, `invalid_argument` for a step that is not there
 */
export const forkSession = async (context: SessionsContext, request: ForkRequest): Promise<Session> => {
  const { store } = context
  const known = request.newSessionId === undefined ? undefined : await store.sessions.get(request.newSessionId)
  if (known !== undefined && known.runId !== null)
    return await sessionView(store, await requireSession(store, known.id))
  const source = await requireSession(store, request.sessionId)
  await requireDirectoryAccess(request.actor, source)
  if (source.runId === null)
    throw new AdjutantError("invalid_argument", `session ${source.id} has no step yet: send it a message first`)
  const latest = await latestSnapshot(context, source)
  const snapshot = { ...latest, approval: narrowApproval(authorityOf(request.actor).approval, latest.approval) }
  const rows = await store.messages.read(source.id, { headSeq: source.headSeq })
  const point = forkPoint(rows, request.atStep)
  if (point === undefined)
    throw new AdjutantError(
      "invalid_argument",
      `at_step ${request.atStep} is not a step of session ${source.id}: it is at step ${source.stepsTaken}`,
    )
  const id =
    known?.id ??
    (
      await writeSession(store, request.newSessionId, (newId) => ({
        id: newId,
        sessionKey: forkKey(source, newId),
        title: source.title,
        agent: source.agent,
        model: source.model,
        parentId: null,
        rootId: newId,
        depth: source.depth,
        cwd: source.cwd,
        label: null,
        metadata: { ...source.metadata, forked_from: source.id, forked_at_step: request.atStep },
      }))
    ).id
  await store.messages.copy(source.id, id, point.lastSeq)
  const runId = newRunId()
  const step = { runId: point.runId ?? runId, step: request.atStep, fence: 0 }
  await store.messages.putAll(
    id,
    point.unanswered.map((call, index) => ({
      ...step,
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
  await store.runs.create({ runId, sessionId: id, snapshotHash: await store.snapshots.put(snapshot) })
  const outcome = {
    status: "completed",
    stopReason: "completed",
    finalMessage: point.text,
    stepsTaken: request.atStep,
  } as const
  await store.runs.patch(runId, { ...outcome, finishedAt: new Date().toISOString() })
  await store.audit.record({
    sessionId: id,
    runId,
    action: "fork",
    ...request.actor,
    detail: { from: source.id, at_step: request.atStep },
  })
  await store.sessions.patch(id, { ...outcome, runId, headSeq: point.lastSeq + point.unanswered.length })
  return await sessionView(store, await requireSession(store, id))
}
