import { WorkflowExecutionAlreadyStartedError } from "@temporalio/client"
import { AdjutantError } from "../contracts/adjutant-error.ts"
import type { RunSnapshot } from "../contracts/run-snapshot.ts"
import { sessionWorkflowId, type WorkflowType } from "../domain/engine-names.ts"
import type { EngineStatus } from "../domain/reconcile-decision.ts"
import type { LlmAgentInput } from "../domain/session-message.ts"
import type { NewSession } from "../store/store.ts"
import type { Started, StartRequest } from "./adjutant-client.ts"
import { agentStartOptions, agentWorkflowType } from "./agent-start-options.ts"
import { callEngine } from "./call-engine.ts"
import type { ClientContext } from "./client-context.ts"
import { describeSoon } from "./describe-session.ts"
import { newMessageId, newRunId, newSessionId, sessionIdLengths } from "./session-id.ts"
import { isTemporalAway } from "./translate-temporal-error.ts"

const newSession = (id: string, request: StartRequest, snapshot: RunSnapshot): NewSession => ({
  id,
  sessionKey: `agent:${snapshot.agent}:main:${id}`,
  title: request.title ?? null,
  agent: snapshot.agent,
  model: snapshot.model,
  parentId: null,
  rootId: id,
  depth: 0,
  cwd: snapshot.cwd,
  label: request.label ?? null,
  metadata: request.metadata ?? {},
})

/** Writes the session under an id that nobody has; a preset id is taken as it is or refused. */
const createSession = async (
  context: ClientContext,
  request: StartRequest,
  snapshot: RunSnapshot,
): Promise<NewSession> => {
  const ids = request.sessionId === undefined ? sessionIdLengths.map(newSessionId) : [request.sessionId]
  for (const id of ids) {
    const session = newSession(id, request, snapshot)
    if (await context.store.sessions.create(session)) return session
  }
  throw new AdjutantError(
    "idempotency_conflict",
    `the session id ${ids[0]} is taken: leave it out, or choose another one`,
  )
}

const hasExecution = (engine: EngineStatus | undefined): boolean => engine !== undefined && engine !== "not_found"

/** True when the engine has it. An answer that got lost is settled by asking. */
const startWorkflow = async (
  context: ClientContext,
  session: NewSession,
  start: { readonly workflowType: WorkflowType; readonly input: LlmAgentInput },
): Promise<boolean> => {
  const options = {
    ...agentStartOptions(context, session, start.input),
    workflowIdReusePolicy: "REJECT_DUPLICATE",
    workflowIdConflictPolicy: "FAIL",
  } as const
  try {
    await callEngine(context, async (attempt) => {
      try {
        await context.temporal.workflow.start(start.workflowType, options)
      } catch (error) {
        if (attempt > 1 && error instanceof WorkflowExecutionAlreadyStartedError) return
        throw error
      }
    })
    return true
  } catch (error) {
    if (error instanceof WorkflowExecutionAlreadyStartedError) return false
    if (isTemporalAway(error) && hasExecution(await describeSoon(context, session.id))) return true
    throw error
  }
}

/** One try under one id; `undefined` when the engine remembers that id from somebody else. */
const startOnce = async (
  context: ClientContext,
  request: StartRequest,
  snapshot: RunSnapshot,
): Promise<Started | undefined> => {
  const { store } = context
  const snapshotHash = await store.snapshots.put(snapshot)
  const session = await createSession(context, request, snapshot)
  const run = { run_id: newRunId(), snapshot_hash: snapshotHash }
  const message = { id: newMessageId(), type: "message", source: "instruction", new_run: run } as const
  try {
    await store.runs.create({ runId: run.run_id, sessionId: session.id, snapshotHash })
    await store.sessions.patch(session.id, { runId: run.run_id })
    await store.inbox.put({ id: message.id, sessionId: session.id, source: message.source, text: request.prompt })
    const started = await startWorkflow(context, session, {
      workflowType: agentWorkflowType(snapshot.type),
      input: {
        session_id: session.id,
        run,
        message,
        has_search_attributes: context.hasSearchAttributes,
        ...(request.hostQueue === undefined ? {} : { host_queue: request.hostQueue }),
      },
    })
    if (started) return { sessionId: session.id, runId: run.run_id }
  } catch (error) {
    await removeQuietly(context, session.id)
    throw error
  }
  await removeQuietly(context, session.id)
  return undefined
}

const removeQuietly = async (context: ClientContext, sessionId: string): Promise<void> => {
  try {
    await context.store.sessions.remove(sessionId)
  } catch (error) {
    context.logger.warn({ error, session_id: sessionId }, "a session that never started could not be removed")
  }
}

const maxTries = 5

/**
 * Resolves the run, writes the session and starts its workflow; when the start fails, nothing remains.
 * @throws AdjutantError of the resolution, `temporal_unavailable`, `idempotency_conflict` for a preset id that is taken
 */
export const startSession = async (context: ClientContext, request: StartRequest): Promise<Started> => {
  const snapshot = await context.resolveRun(context.loaded, request, context.env)
  for (let tries = 0; tries < maxTries; tries += 1) {
    const started = await startOnce(context, request, snapshot)
    if (started !== undefined) return started
    if (request.sessionId !== undefined) break
  }
  throw new AdjutantError(
    "idempotency_conflict",
    `Temporal already has an execution ${sessionWorkflowId(request.sessionId ?? "…")}: choose another session id`,
  )
}
