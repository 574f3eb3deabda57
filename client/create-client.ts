import type { Liveness } from "../domain/engine/liveness.ts"
import type { LoadedConfig } from "../config/loaded-config.ts"
import { createEngineGuard } from "../sessions/engine/create-engine-guard.ts"
import type { EngineGuard } from "../engine/engine-guard.ts"
import type { Store } from "../store/store.ts"
import type { AdjutantClient } from "./adjutant-client.ts"
import { createStoreReader, type StoreReader } from "./create-store-reader.ts"
import { decideByLink, decisionsOfLink, issueLink, openLink } from "../sessions/decide/links/approval-links.ts"
import { cancel } from "../sessions/control/cancel.ts"
import { focus, listBindings, sessionOfThread, setExpiry, unfocus } from "../sessions/channels/bindings.ts"
import { receiveChannelMessage } from "../sessions/channels/receive-message.ts"
import type { SessionsContext, ClientLogger, ResolveRun } from "../sessions/sessions-context.ts"
import { noTemporalUrl, type TemporalUrl } from "../domain/engine/temporal-url.ts"
import { createRedact, type Redact } from "../domain/text/redact.ts"
import type { Environment } from "../domain/environment.ts"
import { type ClientTiming, defaultClientTiming } from "../sessions/sessions-timing.ts"
import { engineHealth, moveEngine, showEngine } from "../sessions/engine/engine-moves.ts"
import { createSession } from "../sessions/start/create-session.ts"
import { decide } from "../sessions/decide/decide.ts"
import { deleteSession } from "../sessions/control/delete-session.ts"
import { dismissDelivery, retryDelivery } from "../sessions/delivery/deliveries.ts"
import { forkSession } from "../sessions/start/fork-session.ts"
import { createGrant, revokeGrant } from "../sessions/grants/grants.ts"
import { hasWorker } from "../engine/workers/has-worker.ts"
import { info } from "../sessions/view/info.ts"
import { countSessions } from "../sessions/view/list-sessions.ts"
import { outcome } from "../sessions/outcome/outcome.ts"
import { pendingCalls } from "../sessions/decide/pending-calls.ts"
import { readMedia } from "../sessions/view/read-transcript.ts"
import { resolveRun } from "../sessions/settings/resolve-run.ts"
import { resolveWithinAuthority } from "../sessions/authority/require-authority.ts"
import { isOfCaller } from "../sessions/view/is-of-caller.ts"
import { runReconciler } from "../sessions/reconcile/run-reconciler.ts"
import { sendMessage } from "../sessions/messages/send-message.ts"
import { createProfile, deleteProfile, updateProfile } from "../sessions/profiles/change-profile.ts"
import { readProfile } from "../sessions/profiles/read-profile.ts"
import { withStoredProfiles } from "../sessions/profiles/stored-profiles.ts"
import { retry } from "../sessions/control/retry.ts"
import { setModel } from "../sessions/messages/set-model.ts"
import { sessionTree } from "../sessions/view/session-tree.ts"
import { spawn } from "../sessions/spawn/spawn.ts"
import { spawnedBy } from "../sessions/spawn/spawned-by.ts"
import { stopAll } from "../sessions/control/stop-all.ts"
import { startSession } from "../sessions/start/start-session.ts"
import { startTask } from "../sessions/start/start-task.ts"
import { listTaskRows, taskReport } from "../sessions/view/task-report.ts"
import type { TemporalClient } from "../engine/temporal-client.ts"
import { createTurns } from "../sessions/spawn/turns.ts"
import { wait } from "../sessions/outcome/wait.ts"
import { watch } from "../sessions/outcome/watch.ts"

export interface ClientOptions {
  /** A connected `Client` of @temporalio/client. */
  readonly temporal: TemporalClient
  readonly store: Store
  readonly loaded: LoadedConfig
  readonly env: Environment
  /** False if the search attributes (AgentStatus and the others) are not registered. */
  readonly hasSearchAttributes: boolean
  readonly taskQueue: string
  /** The liveness profile that suits the connection; `timing.liveness` takes precedence. Default `embedded`. */
  readonly liveness?: Liveness
  readonly logger?: ClientLogger
  /** Default: the address of the Temporal UI is not known. */
  readonly temporalUrl?: TemporalUrl
  /** Removes known secrets from the titles that sessions get from their instructions. */
  readonly redact?: Redact
  readonly timing?: Partial<ClientTiming>
  readonly resolveRun?: ResolveRun
  /** Compares the connected engine with that of the store; default: a new guard. */
  readonly engine?: EngineGuard
}

const silent: ClientLogger = { warn: () => undefined }

const contextOf = (options: ClientOptions): SessionsContext => {
  const { temporal, store, loaded, env, hasSearchAttributes, taskQueue, logger = silent } = options
  const { timing } = loaded.config
  return {
    temporal,
    store,
    loaded,
    env,
    hasSearchAttributes,
    taskQueue,
    liveness: timing.liveness ?? options.liveness ?? "embedded",
    timing: {
      ...defaultClientTiming,
      updateTimeoutMs: timing.updateDeadlineMs,
      startGraceMs: timing.startGraceMs,
      missingConfirmMs: timing.missingConfirmMs,
      ...options.timing,
    },
    logger,
    temporalUrl: options.temporalUrl ?? noTemporalUrl,
    redact: options.redact ?? createRedact([]),
    resolveRun: async (request) =>
      resolveWithinAuthority(options.resolveRun ?? resolveRun)(
        await withStoredProfiles({ loaded, store, logger }),
        request,
        env,
      ),
    answeredCheckpoints: new Set(),
    engine: options.engine ?? createEngineGuard({ temporal, store, checkEveryMs: timing.engineCheckMs }),
  }
}

const channelUseCases = (context: SessionsContext, { channels }: StoreReader): AdjutantClient["channels"] => ({
  ...channels,
  receive: (channel, message) => receiveChannelMessage(context, channel, message),
  focus: (request) => focus(context, request),
  unfocus: (sessionId, actor) => unfocus(context, sessionId, actor),
  sessionOf: (thread) => sessionOfThread(context, thread),
  setExpiry: (request, actor) => setExpiry(context, request, actor),
  bindings: () => listBindings(context),
})

const grantUseCases = (context: SessionsContext): Pick<AdjutantClient, "grant" | "revokeGrant"> => ({
  grant: (request) => createGrant(context, request),
  revokeGrant: (sessionId, grantId, actor) => revokeGrant(context, { sessionId, grantId }, actor),
})

const profileUseCases = (context: SessionsContext, { profiles }: StoreReader): AdjutantClient["profiles"] => ({
  ...profiles,
  read: (name) => readProfile(context, name),
  create: (request, actor) => createProfile(context, request, actor),
  update: (request, actor) => updateProfile(context, request, actor),
  delete: (request, actor) => deleteProfile(context, request, actor),
})

const deliveryUseCases = (context: SessionsContext, { deliveries }: StoreReader): AdjutantClient["deliveries"] => ({
  ...deliveries,
  retry: (id, actor) => retryDelivery(context, id, actor),
  dismiss: (id, actor) => dismissDelivery(context, id, actor),
})

/** Creates a client over a Temporal connection and a store, which the caller closes. */
export const createClient = (options: ClientOptions): AdjutantClient => {
  const context = contextOf(options)
  const { store } = context
  const turns = createTurns()
  const reader = createStoreReader(context)
  return {
    ...reader,
    start: (request) => startSession(context, request),
    startTask: (request) => startTask(context, request),
    isOf: (sessionId, caller) => isOfCaller(store, sessionId, caller),
    send: (request) => sendMessage(context, request),
    decide: (request) => decide(context, request),
    setModel: (sessionId, model, actor) => setModel(context, { sessionId, model }, actor),
    retry: (sessionId, actor) => retry(context, sessionId, actor),
    cancel: (sessionId, actor, runId) => cancel(context, { sessionId, runId }, actor),
    ...grantUseCases(context),
    stopAll: (actor) => stopAll(context, actor),
    wait: (sessionId, waitOptions) => wait(context, sessionId, waitOptions),
    outcome: (sessionId) => outcome(context, sessionId),
    watch: (sessionId, watchOptions) => watch(context, sessionId, watchOptions),
    info: (sessionId) => info(context, sessionId),
    counts: (filter) => countSessions(context, filter),
    media: (sessionId, mediaId) => readMedia(store, sessionId, mediaId),
    create: (request) => createSession(context, request),
    fork: (request) => forkSession(context, request),
    delete: (sessionId, actor) => deleteSession(context, sessionId, actor),
    tree: (sessionId) => sessionTree(context, sessionId),
    pending: (sessionId) => pendingCalls(context, sessionId),
    issueLink: (request) => issueLink(store, request),
    openLink: (token) => openLink(store, token),
    decisionsOfLink: (token) => decisionsOfLink(store, token),
    decideByLink: (token, decision, holder) => decideByLink(context, token, { decision, holder }),
    spawn: (request) => turns(request.caller, () => spawn(context, request)),
    spawned: (caller) => spawnedBy(context, caller),
    report: (sessionId) => taskReport(context, sessionId),
    taskRows: (filter) => listTaskRows(context, filter),
    profiles: profileUseCases(context, reader),
    channels: channelUseCases(context, reader),
    deliveries: deliveryUseCases(context, reader),
    engine: {
      show: () => showEngine(context),
      move: (actor) => moveEngine(context, actor),
      health: () => engineHealth(context),
    },
    reconcile: (request, actor) => runReconciler(context, request, actor),
    hasWorker: () => hasWorker(context),
    close: async () => context.answeredCheckpoints.clear(),
  }
}
