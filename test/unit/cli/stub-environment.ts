import { EventEmitter } from "node:events"
import { mkdtempSync } from "node:fs"
import { tmpdir } from "node:os"
import path from "node:path"
import type { AdjutantClient } from "../../../client/create-client.ts"
import type { EngineReport } from "../../../sessions/engine/engine-moves.ts"
import type { ReconcileReport } from "../../../sessions/reconcile/run-reconciler.ts"
import { commandLineActor } from "../../../service/command-line-actor.ts"
import { listenForInterrupts } from "../../../cli/terminal/interrupts.ts"
import type { HostOptions, SessionHost, TaskHost } from "../../../cli/host/hosts.ts"
import type { WorkerRequest } from "../../../service/host/start-host-worker.ts"
import type { CliContext } from "../../../cli/program/cli-context.ts"
import type { CliEnvironment } from "../../../cli/run-cli.ts"
import type { Share } from "../../../cli/service/service-link.ts"
import type { Grant } from "../../../contracts/http/grants.ts"
import { configSchema } from "../../../contracts/config/config.ts"
import { AdjutantError } from "../../../contracts/adjutant-error.ts"
import type { AgentListItem } from "../../../contracts/http/agents.ts"
import type { OutcomeDocument } from "../../../contracts/session/outcome-document.ts"
import type { SessionDetail } from "../../../contracts/session/session-detail.ts"
import type { Usage } from "../../../contracts/usage.ts"
import { pendingCall } from "../../helpers/pending-call.ts"

/** Commands write the manifest of a pause into the working directory of its session. */
export const stubDirectory = mkdtempSync(path.join(tmpdir(), "adjutant-stub-"))

export const usage: Usage = {
  input_tokens: 1000,
  output_tokens: 200,
  cache_read_tokens: 0,
  cache_write_tokens: 0,
  reasoning_tokens: 0,
  cost_usd: 0.02,
}

export const completed: OutcomeDocument = {
  outcome: "completed",
  task_id: "abc123",
  checkpoint_id: "cp_last",
  session_id: "abc123",
  final_message: "All done.",
  steps_taken: 2,
  usage,
}

export const paused: Extract<OutcomeDocument, { outcome: "paused" }> = {
  outcome: "paused",
  task_id: "abc123",
  checkpoint_id: "cp_one",
  session_id: "abc123",
  pause_reason: {
    type: "tool_approval_required",
    pending_tool_calls: [
      pendingCall({ id: "call_1", name: "Write", arguments: { file_path: "a.md", content: "one\ntwo" } }),
    ],
  },
  agent_message: "May I write?",
  resume_hint: "adjutant run -c cp_one --approve call_1",
  steps_taken: 1,
  usage,
}

export const failed: Extract<OutcomeDocument, { outcome: "failed" }> = {
  outcome: "failed",
  task_id: "abc123",
  session_id: "abc123",
  stop_reason: "max_steps",
  error: { code: "max_steps", message: "the run reached 3 steps" },
  partial_output: "half of it",
  steps_taken: 3,
  usage,
}

export const session = (over: Partial<SessionDetail> = {}): SessionDetail => ({
  id: "abc123",
  session_key: "agent:general:main:abc123",
  status: "paused",
  stop_reason: null,
  error: null,
  title: null,
  label: null,
  agent: "general",
  model: "main",
  parent_session_id: null,
  root_session_id: "abc123",
  forked_from: null,
  depth: 0,
  number: null,
  cwd: stubDirectory,
  run_id: "run_1",
  checkpoint_id: "cp_one",
  pause_reason: null,
  blocked_by: [],
  warnings: [],
  final_message: null,
  engine_state: null,
  steps_taken: 1,
  usage,
  limits: null,
  temporal_url: null,
  mode: "run",
  cleanup: "keep",
  agent_message: null,
  approval: null,
  transcript: "adjutant://sessions/abc123/transcript",
  queued_messages: [],
  runs: [],
  archived_at: null,
  created_at: "2026-11-21T10:00:00.000Z",
  updated_at: "2026-11-21T10:00:00.000Z",
  ...over,
})

const noCalls = {
  ...{ calls: 0, unpriced_calls: 0, input_tokens: 0, output_tokens: 0, cache_read_tokens: 0 },
  ...{ cache_write_tokens: 0, reasoning_tokens: 0, cost_usd: 0 },
}

const grant = (): Grant => ({
  id: "gr_1",
  session_id: "abc123",
  tool: "Write",
  arguments: { file_path: "docs/*.md" },
  state: "active",
  created_by: "ada",
  created_via: "cli",
  created_at: "2026-11-21T10:00:00.000Z",
  expires_at: "2026-11-21T11:00:00.000Z",
  revoked_at: null,
  revoked_by: null,
})

const here = { namespace: "default", namespace_id: "id-1", address: "127.0.0.1:1", since: null }

export const engineReport = (over: Partial<EngineReport> = {}): EngineReport => ({
  belongs_to: { ...here, since: "2026-11-21T10:00:00.000Z" },
  answers: here,
  is_same: true,
  open_sessions: 3,
  known_sessions: 3,
  ...over,
})

export const reconcileReport = (over: Partial<ReconcileReport> = {}): ReconcileReport => ({
  checked: 3,
  mended: 1,
  missing: 0,
  stopped: null,
  orphans: 0,
  archived: 0,
  erased: 0,
  deliveries: 0,
  dry_run: false,
  accepted: [],
  missing_sessions: [],
  ...over,
})

const unbound = (): AdjutantError => new AdjutantError("thread_not_found", "no session is bound to this thread")

type Recorded = { readonly name: string; readonly args: readonly unknown[] }

export interface StubOptions {
  readonly client?: Partial<AdjutantClient>
  readonly stdin?: string
  readonly cwd?: string
  readonly openCheckpoints?: readonly string[]
  readonly closedCheckpoints?: readonly string[]
  /** Makes opening fail. */
  readonly openError?: Error
  /** Makes it fail to leave work to the service. */
  readonly handOverError?: Error
  readonly env?: Readonly<Record<string, string>>
  /** The answer of the person at the terminal; nobody is there without it. */
  readonly confirms?: boolean
  readonly now?: () => number
}

const agentItem = (): AgentListItem => ({
  ...{ id: "general", type: "llm", delegation: "sessions", description: "Carries out whole tasks", active: 0 },
  ...{ source: "built-in", sessions: [] },
})

/** Creates a command line whose host records each request, and whose streams are strings. */
export const stubEnvironment = (options: StubOptions = {}) => {
  const calls: Recorded[] = []
  const written = { stdout: "", stderr: "" }
  const signals = new EventEmitter()
  const exits: number[] = []
  const record =
    <Args extends readonly unknown[], T>(name: string, result: (...args: Args) => T) =>
    (...args: Args): T => {
      calls.push({ name, args })
      return result(...args)
    }
  // Only what commands call; other tests cover the rest.
  const client: Partial<AdjutantClient> = {
    start: async (request) => ({ sessionId: request.sessionId ?? "abc123", runId: "run_1" }),
    resolveTarget: async () => "abc123",
    inspectTarget: async (id) => {
      const isOpen = options.openCheckpoints?.includes(id) === true
      const isCheckpoint = isOpen || options.closedCheckpoints?.includes(id) === true
      const checkpoint = isCheckpoint ? { id, is_open: isOpen, decisions: {} } : null
      const session_id = (await options.client?.resolveTarget?.(id)) ?? "abc123"
      return { session_id, run_id: null, checkpoint, last_event_id: 7 }
    },
    send: async () => ({ state: "applied", runId: "run_2" }),
    decide: async () => ({ state: "applied", runId: "run_1" }),
    setModel: async () => ({ state: "applied", runId: "run_1" }),
    retry: async () => ({ status: "running" }),
    cancel: async () => ({ status: "cancelled" }),
    grant: async () => grant(),
    grants: async () => ({ items: [grant()], next_cursor: null }),
    revokeGrant: async () => grant(),
    stopAll: async () => ({ items: [], next_cursor: null }),
    wait: async () => completed,
    outcome: async () => completed,
    watch: async function* () {},
    info: async () => session(),
    diff: async (id) => ({
      ...{ session_id: id, status: "changed", tree: "4b825d", patch: "", encoding: "utf-8", is_whole: true },
      is_redacted: false,
    }),
    list: async () => ({ items: [session()], next_cursor: null }),
    counts: async () => ({
      pending: 0,
      running: 0,
      paused: 1,
      completed: 0,
      failed: 0,
      cancelled: 0,
      timed_out: 0,
    }),
    approvals: async () => ({ items: [], next_cursor: null }),
    preview: async () => Promise.reject(new AdjutantError("call_not_found", "there is no such call")),
    messages: async () => [],
    create: async () => session(),
    fork: async () => session(),
    delete: async () => undefined,
    tree: async () => ({ ...session(), children: [] }),
    pending: async () => ({ run_id: "run_1", checkpoint_id: null, pending: [] }),
    issueLink: async () => ({ token: "token", expiresAt: "2026-11-21T10:00:00.000Z" }),
    openLink: async () => Promise.reject(new Error("no link")),
    decisionsOfLink: async () => [],
    decideByLink: async () => ({ state: "applied", runId: "run_1" }),
    spawn: async () => ({ kind: "refused", refusal: { status: "forbidden", error: "not here" } }),
    profiles: {
      list: async () => [agentItem()],
      read: async () => Promise.reject(new AdjutantError("profile_not_found", "there is no such profile")),
      create: async () => Promise.reject(new AdjutantError("forbidden", "not here")),
      update: async () => Promise.reject(new AdjutantError("forbidden", "not here")),
      delete: async () => Promise.reject(new AdjutantError("forbidden", "not here")),
    },
    deliveries: {
      list: async () => ({ items: [], next_cursor: null }),
      retry: async () => Promise.reject(new AdjutantError("delivery_not_found", "there is no such delivery")),
      dismiss: async () => Promise.reject(new AdjutantError("delivery_not_found", "there is no such delivery")),
    },
    channels: {
      receive: async () => ({ kind: "ignored" }),
      focus: async () => Promise.reject(unbound()),
      unfocus: async () => Promise.reject(unbound()),
      sessionOf: async () => Promise.reject(unbound()),
      bindingOf: async () => Promise.reject(unbound()),
      setExpiry: async () => Promise.reject(unbound()),
      bindings: async () => ({ items: [], next_cursor: null }),
    },
    engine: {
      show: async () => engineReport(),
      move: async () => engineReport(),
      health: async () => ({ isSame: true, missing: 0, isStopped: false }),
    },
    reconcile: async () => reconcileReport(),
    audit: async () => ({ items: [], next_cursor: null }),
    usage: async () => ({ items: [], total: noCalls }),
    prune: async () => ({ tasks: 0, sessions: 0, ids: [] }),
    schedules: {
      list: async () => [],
      read: async () => Promise.reject(new AdjutantError("invalid_argument", "there is no such schedule")),
      add: async () => Promise.reject(new AdjutantError("invalid_argument", "the schedule is not valid")),
      delete: async () => undefined,
      change: async () => Promise.reject(new AdjutantError("invalid_argument", "there is no such schedule")),
      ensure: async () => [],
      start: async () => Promise.reject(new AdjutantError("invalid_argument", "there is no such schedule")),
    },
    hasWorker: async () => true,
    takeOver: async () => [],
    close: async () => undefined,
    ...options.client,
  }
  const recorded = new Proxy(client, {
    get: (target, name, receiver) => {
      const member: unknown = Reflect.get(target, name, receiver)
      return typeof member === "function"
        ? record(String(name), (...args: unknown[]) => member.apply(target, args))
        : member
    },
  })
  const host = {
    loaded: { dataDir: "/data", configPath: null, config: configSchema.parse({}), projectRoot: "/" },
    server: { kind: "embedded", address: "127.0.0.1:1", namespace: "default", uiUrl: "http://127.0.0.1:2" },
    store: {
      sessions: {
        get: async () => undefined,
        listOpen: async () => [],
        list: async () => ({ items: [], nextCursor: null }),
      },
      bindings: { list: async () => [] },
    },
    client: recorded,
    newSessionId: async () => "abc123",
    startWorker: record("startWorker", async (_request?: WorkerRequest) => ({
      failed: new Promise<never>(() => undefined),
      stop: async () => undefined,
    })),
    serveHttp: record("serveHttp", async (_place?: object) => ({
      url: "http://127.0.0.1:7420",
      pageLink: () => "http://127.0.0.1:7420/#code=once",
      problems: () => [],
    })),
    handOver: record("handOver", async (_rootId: string | null) => {
      if (options.handOverError !== undefined) throw options.handOverError
    }),
    redact: (text: string) => text.replaceAll("s3cret", "[redacted]"),
    warn: (message: string) => void (written.stderr += `warning: ${message}\n`),
    close: record("close", async () => undefined),
  } as unknown as SessionHost
  const leave = record("handOver", async (_rootId: string | null, _share: Share) => {
    if (options.handOverError !== undefined) throw options.handOverError
  })
  const tasks = (cwd: string): TaskHost => ({
    client: host.client,
    startTask: async ({ cwd: directory = cwd, ...task }, share) => {
      await leave(null, share)
      return await host.client.start({ ...task, cwd: directory, sessionId: "abc123", actor: commandLineActor() })
    },
    prepareResume: async () => false,
    handOver: leave,
    warnWithoutWorker: async () => undefined,
    resolveDirectory: (flag) => path.resolve(cwd, flag),
    placeFlags: () => [],
    manifestDirectory: (taskCwd) => taskCwd,
    redact: host.redact,
    warn: host.warn,
    close: host.close,
  })
  const interrupts = listenForInterrupts(signals, {
    exit: (code) => void exits.push(code),
    now: options.now ?? (() => 0),
    echoMs: 300,
  })
  const environment: CliEnvironment = {
    io: {
      stdout: { write: (text) => void (written.stdout += text) },
      stderr: { write: (text) => void (written.stderr += text) },
      stdin: (async function* () {
        yield options.stdin ?? ""
      })(),
    },
    env: options.env ?? { XDG_STATE_HOME: process.env["XDG_STATE_HOME"] },
    cwd: options.cwd ?? stubDirectory,
    interrupts,
    ...(options.confirms === undefined ? {} : { confirm: record("confirm", async () => options.confirms === true) }),
    openHost: record("openHost", async (_context: unknown, _options: HostOptions) => {
      if (options.openError !== undefined) throw options.openError
      return host
    }),
    openTasks: record("openTasks", async (context: CliContext, _options: HostOptions) => {
      if (options.openError !== undefined) throw options.openError
      return tasks(context.cwd)
    }),
    openStore: record("openStore", async (_context: unknown, _options: HostOptions) => {
      if (options.openError !== undefined) throw options.openError
      return host
    }),
  }
  const argumentOf = (name: string): unknown => calls.find((call) => call.name === name)?.args[0]
  return { environment, calls, written, signals, exits, argumentOf, names: () => calls.map((call) => call.name) }
}
