import type { Liveness } from "../domain/engine/liveness.ts"
import type { LoadedConfig } from "../config/loaded-config.ts"
import { createEngineGuard } from "../sessions/engine/create-engine-guard.ts"
import type { EngineGuard } from "../engine/engine-guard.ts"
import type { Store } from "../store/store.ts"
import type { ProfileClient, TaskClient } from "./task-client.ts"
import type { ChannelMessage } from "../contracts/http/channels.ts"
import type { Actor } from "../sessions/actor.ts"
import type { LinkDecision, LinkHolder, LinkRequest } from "../sessions/pauses/links/link.ts"
import type { SpawnRequest } from "../sessions/spawn/spawn-request.ts"
import type { CreateSessionRequest, ForkRequest, StartRequest } from "../sessions/start-request.ts"
import { withActorChecks } from "./check-actors.ts"
import { createStoreReader, type StoreReader } from "./create-store-reader.ts"
import { decideByLink, decisionsOfLink, issueLink, openLink } from "../sessions/decide/approval-links.ts"
import { cancel } from "../sessions/control/cancel.ts"
import {
  focus,
  type FocusRequest,
  listBindings,
  sessionOfThread,
  setExpiry,
  unfocus,
} from "../sessions/channels/bindings.ts"
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
import type { DueRun } from "../domain/schedules/scheduled-run.ts"
import {
  addSchedule,
  changeSchedule,
  deleteSchedule,
  ensureSchedules,
  listSchedules,
  readSchedule,
  startScheduled,
} from "../sessions/schedules/schedules.ts"
import { createNoticeKeeper } from "../sessions/notify/keep-notices.ts"
import { dismissDelivery, retryDelivery } from "../sessions/delivery/deliveries.ts"
import { forkSession } from "../sessions/start/fork-session.ts"
import { createGrant, revokeGrant } from "../sessions/decide/grants.ts"
import { type Machine, thisMachine } from "../engine/workers/machine.ts"
import { hasWorker } from "../engine/workers/has-worker.ts"
import { info } from "../sessions/view/info.ts"
import { countSessions, type ListFilter } from "../sessions/view/list-sessions.ts"
import { outcome } from "../sessions/outcome/outcome.ts"
import { pendingCallsOfTree } from "../sessions/pauses/pending-calls.ts"
import { readToolMedia } from "../sessions/view/read-transcript.ts"
import { resolveRun } from "../sessions/settings/resolve-run.ts"
import { resolveWithinAuthority } from "../sessions/authority/require-authority.ts"
import { isOfCaller } from "../sessions/rows/is-of-caller.ts"
import { type ReconcileRequest, runReconciler } from "../sessions/reconcile/run-reconciler.ts"
import { sendMessage } from "../sessions/messages/send-message.ts"
import { createProfile, deleteProfile, updateProfile } from "../sessions/profiles/change-profile.ts"
import { readProfile } from "../sessions/profiles/read-profile.ts"
import { withStoredProfiles } from "../sessions/profiles/stored-profiles.ts"
import { pruneByHand, type Pruning } from "../sessions/control/prune.ts"
import { retry } from "../sessions/control/retry.ts"
import { withdrawMessage } from "../sessions/messages/withdraw-message.ts"
import { setModel } from "../sessions/messages/set-model.ts"
import { sessionTree } from "../sessions/view/inspect-tree.ts"
import { spawn } from "../sessions/spawn/spawn.ts"
import { spawnedBy } from "../sessions/spawn/spawned-by.ts"
import { stopAll } from "../sessions/control/stop-all.ts"
import { startSession } from "../sessions/start/start-session.ts"
import { hasWorkerOnMachine } from "../engine/workers/has-worker.ts"
import { type TakeOver, takeOverTree } from "../sessions/start/take-over.ts"
import { tracerOf } from "../sessions/trace/tracer-of.ts"
import { startTask, type StartTaskRequest } from "../sessions/start/start-task.ts"
import { listTaskRows, type TaskFilter, taskReport } from "../sessions/view/task-report.ts"
import type { TemporalClient } from "../engine/temporal-client.ts"
import { createTurns } from "../sessions/spawn/turns.ts"
import { wait } from "../sessions/wait/wait.ts"
import { watch } from "../sessions/wait/watch.ts"

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
  /** Returns when a worker is running for what the client requests. Default: workers are left to others. */
  readonly requireWorker?: (() => Promise<void>) | undefined
  /** Default: this machine, as a store that several machines share names it. */
  readonly machine?: Machine
  /** Compares the connected engine with that of the store; default: a new guard. */
  readonly engine?: EngineGuard
}

const silent: ClientLogger = { warn: () => undefined }

const contextOf = (options: ClientOptions): SessionsContext => {
  const { temporal, store, loaded, env, hasSearchAttributes, taskQueue, logger = silent } = options
  const { redact = createRedact([]) } = options
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
    redact,
    tracer: tracerOf({ store, env, logger, redact }),
    resolveRun: async (request) =>
      resolveWithinAuthority(options.resolveRun ?? resolveRun)(
        await withStoredProfiles({ loaded, store, logger }),
        request,
        env,
      ),
    machine: options.machine ?? thisMachine(env),
    answeredCheckpoints: new Set(),
    requireWorker: options.requireWorker,
    engine: options.engine ?? createEngineGuard({ temporal, store, checkEveryMs: timing.engineCheckMs }),
  }
}

const channelUseCases = (context: SessionsContext, { channels }: StoreReader) => ({
  ...channels,
  /** Sends a message of a thread to the session that is bound to it, or starts one. */
  receive: (channel: string, message: ChannelMessage) => receiveChannelMessage(context, channel, message),
  /** Binds a thread to a session. */
  focus: (request: FocusRequest) => focus(context, request),
  unfocus: (sessionId: string, actor: Actor) => unfocus(context, sessionId, actor),
  /** Returns the session to which a thread is bound. */
  sessionOf: (thread: { readonly channel?: string; readonly threadKey: string }) => sessionOfThread(context, thread),
  /** Sets when the binding ends, in milliseconds; 0: never. */
  setExpiry: (
    request: { readonly sessionId: string; readonly idleMs?: number; readonly maxAgeMs?: number },
    actor: Actor,
  ) => setExpiry(context, request, actor),
  bindings: () => listBindings(context),
})

const profileUseCases = (context: SessionsContext, { profiles }: StoreReader): ProfileClient => ({
  ...profiles,
  read: (name) => readProfile(context, name),
  create: (request, actor) => createProfile(context, request, actor),
  update: (request, actor) => updateProfile(context, request, actor),
  delete: (request, actor) => deleteProfile(context, request, actor),
})

const deliveryUseCases = (context: SessionsContext, { deliveries }: StoreReader) => ({
  ...deliveries,
  /** Retries a delivery: a pending one at once, a failed or dismissed one with all its attempts. */
  retry: (id: string, actor: Actor) => retryDelivery(context, id, actor),
  /** Stops the attempts of a delivery; its content is kept. */
  dismiss: (id: string, actor: Actor) => dismissDelivery(context, id, actor),
})

const engineUseCases = (context: SessionsContext) => ({
  /** Returns the engine to which the store belongs and the connected one. Writes nothing. */
  show: () => showEngine(context),
  /** Moves the store to the connected engine. */
  move: (actor: Actor) => moveEngine(context, actor),
  health: () => engineHealth(context),
})

const scheduleUseCases = (context: SessionsContext) => ({
  /** Returns the schedules, with their next times. */
  list: () => listSchedules(context),
  read: (name: string) => readSchedule(context, name),
  /** Adds a schedule that is not in the configuration. */
  add: (request: Parameters<typeof addSchedule>[1]) => addSchedule(context, request),
  /** Deletes a schedule that is not in the configuration. */
  delete: (name: string, actor: Actor) => deleteSchedule(context, name, actor),
  /** Pauses or resumes a schedule, or starts its task now. */
  change: (name: string, request: Parameters<typeof changeSchedule>[2]) => changeSchedule(context, name, request),
  /** Makes the schedules of the configuration in the engine; returns those that lack a secret. */
  ensure: () => ensureSchedules(context),
  /** Starts the task of a due run once. */
  start: (due: DueRun) => startScheduled(context, due),
})

/** What a server of the HTTP API does, too, besides reading the store. */
const taskUseCases = (context: SessionsContext): Omit<TaskClient, keyof StoreReader | "schedules"> => ({
  send: (request) => sendMessage(context, request),
  withdraw: (sessionId, messageId, actor) => withdrawMessage(context, { sessionId, messageId }, actor),
  decide: (request) => decide(context, request),
  cancel: (sessionId, actor, runId) => cancel(context, { sessionId, runId }, actor),
  delete: (sessionId, actor) => deleteSession(context, sessionId, actor),
  retry: (sessionId, actor) => retry(context, sessionId, actor),
  grant: (request) => createGrant(context, request),
  revokeGrant: (sessionId, grantId, actor) => revokeGrant(context, { sessionId, grantId }, actor),
  stopAll: (actor) => stopAll(context, actor),
  wait: (sessionId, options) => wait(context, sessionId, options),
  outcome: (sessionId) => outcome(context, sessionId),
  watch: (sessionId, options) => watch(context, sessionId, options),
  info: (sessionId) => info(context, sessionId),
  hasWorker: () => hasWorker(context),
  close: async () => {
    context.answeredCheckpoints.clear()
    await context.tracer?.close()
  },
})

const linkUseCases = (context: SessionsContext) => ({
  /** Issues a signed link that decides a whole pause once, without any other authority. `to`: the holder of the link, for the audit. */
  issueLink: (request: LinkRequest) => issueLink(context, request),
  /** `isWhole`: with all of each long preview. */
  openLink: (token: string, options?: { readonly isWhole?: boolean }) => openLink(context, token, options),
  /** Returns who decided what on the pause of a link, also after it has closed. */
  decisionsOfLink: (token: string) => decisionsOfLink(context, token),
  /** `holder`: who used the link, if it needs a token. */
  decideByLink: (token: string, decision: LinkDecision, holder?: LinkHolder) =>
    decideByLink(context, token, { decision, holder }),
})

/** Creates a client over a Temporal connection and a store, which the caller closes. */
export const createClient = (options: ClientOptions) => {
  const context = contextOf(options)
  const { store } = context
  const turns = createTurns()
  const reader = createStoreReader(context)
  return withActorChecks({
    ...reader,
    ...taskUseCases(context),
    ...linkUseCases(context),
    profiles: profileUseCases(context, reader),
    start: (request: StartRequest) => startSession(context, request),
    /** Creates a session and starts its first run, for a request that may be repeated: with preset ids, it starts one run. */
    startTask: (request: StartTaskRequest) => startTask(context, request),
    /** Returns whether a session exists and belongs to a tree that this caller started. */
    isOf: (sessionId: string, caller: string) => isOfCaller(store, sessionId, caller),
    setModel: (sessionId: string, model: string, actor: Actor) => setModel(context, { sessionId, model }, actor),
    /** Returns the number of sessions by status that match a filter, regardless of its status and page. */
    counts: (filter: ListFilter) => countSessions(context, filter),
    /** Returns an image or a PDF that a tool of the session returned, by its id in the transcript. */
    media: (sessionId: string, mediaId: string) => readToolMedia(store, sessionId, mediaId),
    create: (request: CreateSessionRequest) => createSession(context, request),
    /** Creates a session from the first steps of another one, with its limits or narrower ones. */
    fork: (request: ForkRequest) => forkSession(context, request),
    tree: (sessionId: string) => sessionTree(context, sessionId),
    pending: (sessionId: string) => pendingCallsOfTree(context, sessionId),
    /** Runs a delegation tool that is called from outside any run: starts a session at depth 1, or returns why it is refused. */
    spawn: (request: SpawnRequest) => turns(request.caller, () => spawn(context, request)),
    /** Returns the sessions that this caller started with `spawn`, in that order. */
    spawned: (caller: string) => spawnedBy(context, caller),
    /** Returns the details of a task, with its current state in the engine. */
    report: (sessionId: string) => taskReport(context, sessionId),
    /** Returns tasks, one row each. */
    taskRows: (filter: TaskFilter) => listTaskRows(context, filter),
    channels: channelUseCases(context, reader),
    deliveries: deliveryUseCases(context, reader),
    engine: engineUseCases(context),
    schedules: scheduleUseCases(context),
    /** Looks what people answered to messages, and replaces those of pauses that have ended. */
    notices: createNoticeKeeper(context),
    /** Makes the sessions of a tree this machine's, which a person resumes here. Returns lines for that person. */
    takeOver: (request: TakeOver) =>
      takeOverTree({ ...context, hasWorkerOn: (machine) => hasWorkerOnMachine(context, machine) }, request),
    /** Erases tasks that ended before a time, with their sub-agents; usage and the audit remain. */
    prune: (request: Omit<Pruning, "keepLabels">, actor: Actor) => pruneByHand(context, request, actor),
    /** Runs one pass of the reconciler in a worker. */
    reconcile: (request: ReconcileRequest, actor: Actor) => runReconciler(context, request, actor),
  })
}

/** Every use case of Adjutant, typed, over Temporal and the store. Expected failures are `AdjutantError`. */
export type AdjutantClient = ReturnType<typeof createClient>
