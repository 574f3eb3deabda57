import type { LoadedConfig } from "../config/loaded-config.ts"
import { createEngineGuard, type EngineGuard } from "../engine/engine-guard.ts"
import type { Store } from "../store/store.ts"
import type { AdjutantClient } from "./adjutant-client.ts"
import { decideByLink, issueLink, openLink } from "./approval-links.ts"
import { approvals } from "./approvals.ts"
import { cancel } from "./cancel.ts"
import { focus, listBindings, sessionOfThread, setExpiry, unfocus } from "./channels/bindings.ts"
import { receiveChannelMessage } from "./channels/receive-message.ts"
import type { ClientContext, ClientLogger, Environment, ResolveRun } from "./client-context.ts"
import { type ClientTiming, defaultClientTiming } from "./client-timing.ts"
import { engineHealth, moveEngine, showEngine } from "./engine-moves.ts"
import { createSession } from "./create-session.ts"
import { decide } from "./decide.ts"
import { deleteSession } from "./delete-session.ts"
import { dismissDelivery, listDeliveries, retryDelivery } from "./deliveries/deliveries.ts"
import { forkSession } from "./fork-session.ts"
import { hasWorker } from "./has-worker.ts"
import { info } from "./info.ts"
import { listSessions } from "./list-sessions.ts"
import { outcome } from "./outcome.ts"
import { pendingCalls } from "./pending-calls.ts"
import { readTranscript } from "./read-transcript.ts"
import { resolveRun } from "./resolve-run.ts"
import { resolveWithinAuthority } from "./resolve-within-authority.ts"
import { resolveTarget } from "./resolve-target.ts"
import { runReconciler } from "./run-reconciler.ts"
import { sendMessage } from "./send-message.ts"
import { setModel } from "./set-model.ts"
import { sessionTree } from "./session-tree.ts"
import { spawn } from "./spawn.ts"
import { spawnedBy } from "./spawned-by.ts"
import { startSession } from "./start-session.ts"
import { listTaskRows, taskReport } from "./task-report.ts"
import type { TemporalClient } from "./temporal-client.ts"
import { createTurns } from "./turns.ts"
import { wait } from "./wait.ts"
import { watch } from "./watch.ts"

export interface ClientOptions {
  /** A connected `Client` of @temporalio/client. */
  readonly temporal: TemporalClient
  readonly store: Store
  readonly loaded: LoadedConfig
  readonly env: Environment
  /** False where AgentStatus and the others are not registered. */
  readonly hasSearchAttributes: boolean
  readonly taskQueue: string
  readonly logger?: ClientLogger
  readonly timing?: Partial<ClientTiming>
  readonly resolveRun?: ResolveRun
  /** What compares the engine with the store's; default a guard of its own. */
  readonly engine?: EngineGuard
}

const silent: ClientLogger = { warn: () => undefined }

/** The one way in, over a Temporal connection and a store that stay the caller's to close. */
export const createClient = (options: ClientOptions): AdjutantClient => {
  const { timing } = options.loaded.config
  const context: ClientContext = {
    temporal: options.temporal,
    store: options.store,
    loaded: options.loaded,
    env: options.env,
    hasSearchAttributes: options.hasSearchAttributes,
    taskQueue: options.taskQueue,
    timing: {
      ...defaultClientTiming,
      updateTimeoutMs: timing.updateDeadlineMs,
      startGraceMs: timing.startGraceMs,
      missingConfirmMs: timing.missingConfirmMs,
      ...options.timing,
    },
    logger: options.logger ?? silent,
    resolveRun: resolveWithinAuthority(options.resolveRun ?? resolveRun),
    answeredCheckpoints: new Set(),
    engine:
      options.engine ??
      createEngineGuard({ temporal: options.temporal, store: options.store, checkEveryMs: timing.engineCheckMs }),
  }
  const { store } = context
  const turns = createTurns()
  return {
    start: (request) => startSession(context, request),
    resolveTarget: (target) => resolveTarget(context, target),
    send: (request) => sendMessage(context, request),
    decide: (request) => decide(context, request),
    setModel: (sessionId, model, actor) => setModel(context, { sessionId, model }, actor),
    cancel: (sessionId, actor, runId) => cancel(context, { sessionId, runId }, actor),
    wait: (sessionId, waitOptions) => wait(context, sessionId, waitOptions),
    outcome: (sessionId) => outcome(context, sessionId),
    watch: (sessionId, watchOptions) => watch(context, sessionId, watchOptions),
    info: (sessionId) => info(context, sessionId),
    list: (filter) => listSessions(context, filter),
    approvals: (filter) => approvals(context, filter),
    messages: (sessionId, range) => readTranscript(store, sessionId, range),
    create: (request) => createSession(context, request),
    fork: (request) => forkSession(context, request),
    delete: (sessionId, actor) => deleteSession(context, sessionId, actor),
    tree: (sessionId) => sessionTree(context, sessionId),
    pending: (sessionId) => pendingCalls(context, sessionId),
    issueLink: (request) => issueLink(store, request),
    openLink: (token) => openLink(store, token),
    decideByLink: (token, decision) => decideByLink(context, token, decision),
    spawn: (request) => turns(request.caller, () => spawn(context, request)),
    spawned: (caller) => spawnedBy(context, caller),
    report: (sessionId) => taskReport(context, sessionId),
    taskRows: (limit) => listTaskRows(context, limit),
    channels: {
      receive: (channel, message) => receiveChannelMessage(context, channel, message),
      focus: (request) => focus(context, request),
      unfocus: (sessionId, actor) => unfocus(context, sessionId, actor),
      sessionOf: (thread) => sessionOfThread(context, thread),
      setExpiry: (request, actor) => setExpiry(context, request, actor),
      bindings: () => listBindings(context),
    },
    deliveries: {
      list: (filter = {}) => listDeliveries(context, filter),
      retry: (id, actor) => retryDelivery(context, id, actor),
      dismiss: (id, actor) => dismissDelivery(context, id, actor),
    },
    engine: {
      show: () => showEngine(context),
      move: (actor) => moveEngine(context, actor),
      health: () => engineHealth(context),
    },
    reconcile: (request, actor) => runReconciler(context, request, actor),
    audit: (filter) => store.audit.list(filter),
    hasWorker: () => hasWorker(context),
    close: async () => context.answeredCheckpoints.clear(),
  }
}
