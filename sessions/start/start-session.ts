import { AdjutantError } from "../../contracts/adjutant-error.ts"
import { saidSchema } from "../../contracts/text-schemas.ts"
import type { RunSnapshot } from "../../contracts/run-snapshot.ts"
import { sessionWorkflowId } from "../../domain/engine/engine-names.ts"
import { childSessionKey, mainSessionKey } from "../../domain/transcript/session-key.ts"
import type { NewSession, SessionPlace } from "../../store/store.ts"
import { titleOfInstruction } from "../../domain/session/title-of.ts"
import { startDetail } from "../audit/start-detail.ts"
import { withoutUndefined } from "../../domain/without-undefined.ts"
import { auditedPerson } from "../authority/person-of-actor.ts"
import { auditedActor, keptTrace } from "../actor.ts"
import type { Started, StartRequest } from "../start-request.ts"
import type { RunOptions } from "../../contracts/run/run-options.ts"
import type { SessionsContext } from "../sessions-context.ts"
import { requireKnownOptions } from "../settings/require-known-options.ts"
import { requireDeliveryRoom } from "../delivery/require-delivery-room.ts"
import { newMessageId, newRunId } from "../session-id.ts"
import { startWorkflow, UncertainStart } from "../../engine/start-workflow.ts"
import { placeHere } from "../rows/session-place.ts"
import { textFor } from "../messages/text-for.ts"
import { acceptInstruction } from "../messages/accept-instruction.ts"
import { writeSession } from "./write-session.ts"

/** What is stored about a session that no request can set. */
export type SessionMark = Pick<NewSession, "internal" | "caller">

const newSession = (
  id: string,
  {
    request,
    mark,
    title,
  }: { readonly request: StartRequest; readonly mark: SessionMark; readonly title: string | null },
  { snapshot, place }: { readonly snapshot: RunSnapshot; readonly place: SessionPlace },
): NewSession => ({
  id,
  sessionKey:
    request.subagent === undefined ? mainSessionKey(snapshot.agent, id) : childSessionKey(snapshot.agent, "", id),
  title,
  agent: snapshot.agent,
  model: snapshot.model,
  parentId: null,
  rootId: id,
  depth: request.subagent === undefined ? 0 : 1,
  cwd: snapshot.cwd,
  label: request.label ?? null,
  metadata: request.metadata ?? {},
  ...mark,
  internal: { ...mark.internal, ...keptTrace(request.actor) },
  place,
})

/** Tries to start a session under one id; returns undefined if the engine already has an execution with that id. */
const startOnce = async (
  context: SessionsContext,
  { request, mark }: { readonly request: StartRequest; readonly mark: SessionMark },
  snapshot: RunSnapshot,
): Promise<Started | undefined> => {
  const { store } = context
  const snapshotHash = await store.snapshots.put(snapshot)
  const place = await placeHere(context, snapshot.cwd)
  const title = request.title ?? titleOfInstruction(request.prompt, context.redact)
  const run = { run_id: newRunId(), snapshot_hash: snapshotHash }
  const message = { id: newMessageId(), type: "message", source: "instruction", new_run: run } as const
  // One transaction writes the session and its run. If its answer is lost, the reconciler finds out that the run was never started; it would not look at a
  // session without a run.
  const session = await store.transaction(async (writes) => {
    const written = await writeSession(writes, request.sessionId, (id) =>
      newSession(id, { request, mark, title }, { snapshot, place }),
    )
    await writes.runs.create({ runId: run.run_id, sessionId: written.id, snapshotHash })
    await writes.sessions.patch(written.id, { runId: run.run_id })
    const text = textFor(snapshot, request.prompt, request.context)
    const { id, source } = message
    await acceptInstruction(writes, { id, sessionId: written.id, runId: run.run_id, source, text })
    return written
  })
  try {
    const started = await startWorkflow(context, session, { type: snapshot.type, run, message })
    // No other call starts under an id whose row this one has just written.
    if (started !== "exists") {
      await auditStart(context, { sessionId: session.id, runId: run.run_id, snapshot, snapshotHash }, { request, mark })
      return { sessionId: session.id, runId: run.run_id }
    }
  } catch (error) {
    if (!(error instanceof UncertainStart)) await removeQuietly(context, session.id)
    throw error
  }
  await removeQuietly(context, session.id)
  return undefined
}

/** Records who started a run, through which channel, and which of its calls nobody decides. */
const auditStart = async (
  { store, loaded }: Pick<SessionsContext, "store" | "loaded">,
  run: Started & { readonly snapshot: RunSnapshot; readonly snapshotHash: string },
  { request, mark }: { readonly request: StartRequest; readonly mark: SessionMark },
): Promise<void> => {
  const { sessionId, runId, snapshot, snapshotHash } = run
  const tool = mark.internal?.["tool"]
  await store.audit.record({
    ...{ key: `start:${runId}`, sessionId, runId, action: tool === undefined ? "start" : "spawn" },
    ...auditedActor(request.actor ?? { by: "adjutant", via: "library" }),
    hash: snapshotHash,
    detail: {
      ...(tool === undefined ? {} : { tool }),
      ...auditedPerson(loaded, request.actor),
      agent: snapshot.agent,
      ...startDetail(snapshot),
    },
  })
}

const removeQuietly = async (context: SessionsContext, sessionId: string): Promise<void> => {
  try {
    await context.store.sessions.remove(sessionId)
  } catch (error) {
    context.logger.warn({ error, session_id: sessionId }, "a session that never started could not be removed")
  }
}

/** Returns the settings with the destinations that the request names instead of the configured ones. */
export const withNotify = (snapshot: RunSnapshot, { notifyOn }: StartRequest): RunSnapshot =>
  snapshot.notify === undefined || notifyOn === undefined
    ? snapshot
    : { ...snapshot, notify: { ...snapshot.notify, on: { ...snapshot.notify.on, ...withoutUndefined(notifyOn) } } }

const maxTries = 5

/**
 * Resolves the run, writes the session and starts its workflow. If the start fails, the session is removed. Its row stays only if Temporal was replaced
 * meanwhile and may have started the session before that: the reconciler finds out when the old Temporal is back.
 * @throws AdjutantError of the resolution, `temporal_unavailable`, `idempotency_conflict` for a preset id that is taken
 */
export const startWithSettings = async (
  context: SessionsContext,
  request: StartRequest,
  mark: SessionMark = {},
): Promise<Started & { readonly snapshot: RunSnapshot }> => {
  await requireDeliveryRoom(context)
  const snapshot = withNotify(await context.resolveRun(request), request)
  for (let tries = 0; tries < maxTries; tries += 1) {
    const started = await startOnce(context, { request, mark }, snapshot)
    if (started !== undefined) return { ...started, snapshot }
    if (request.sessionId !== undefined) break
  }
  throw new AdjutantError(
    "idempotency_conflict",
    `Temporal already has an execution ${sessionWorkflowId(request.sessionId ?? "…")}: choose another session id`,
  )
}

const startFields: Readonly<Record<Exclude<keyof StartRequest, keyof RunOptions>, true>> = {
  prompt: true,
  notifyOn: true,
  agent: true,
  cwd: true,
  title: true,
  label: true,
  metadata: true,
  inThread: true,
  isChild: true,
  sessionId: true,
  subagent: true,
  actor: true,
}

/** What a program without checked types can leave out, and an instruction that says nothing: a provider would refuse it in the middle of a run. */
const requireInstruction = ({ prompt, cwd }: { readonly [Field in "prompt" | "cwd"]?: unknown }): void => {
  if (!saidSchema.safeParse(prompt).success)
    throw new AdjutantError("invalid_argument", "the prompt is missing: set prompt to the instruction for the agent")
  if (typeof cwd !== "string")
    throw new AdjutantError(
      "invalid_argument",
      "the working directory is missing: set cwd, for example to process.cwd()",
    )
}

/** Starts a session without a parent. */
export const startSession = async (context: SessionsContext, request: StartRequest): Promise<Started> => {
  requireKnownOptions(request, Object.keys(startFields))
  requireInstruction(request)
  const { sessionId, runId } = await startWithSettings(context, request)
  return { sessionId, runId }
}
