import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { onTestFinished } from "vitest"
import type { AdjutantClient } from "../../../client/create-client.ts"
import type { StartRequest } from "../../../sessions/start-request.ts"
import type { ClientTiming } from "../../../sessions/sessions-timing.ts"
import { createClient } from "../../../client/create-client.ts"
import type { LoadedConfig } from "../../../config/loaded-config.ts"
import { configSchema } from "../../../contracts/config/config.ts"
import type { ModelSpec, RunSnapshot } from "../../../contracts/run-snapshot.ts"
import type { EngineGuard } from "../../../engine/engine-guard.ts"
import type { StopReason } from "../../../contracts/status.ts"
import { timingSchema } from "../../../contracts/config/timing.ts"
import { openStore } from "../../../store/open-store.ts"
import type { PauseRow, NewPause, SessionPatch, Store } from "../../../store/store.ts"
import { createStoreIn } from "../../helpers/store/store-under-test.ts"
import { FakeTemporal } from "./fake-temporal.ts"

const model = (name: string, priced: boolean): ModelSpec => ({
  provider: "openai-compatible",
  model: name,
  maxOutputTokens: 1_000,
  price: priced ? { inputPerMTok: 1, outputPerMTok: 2 } : null,
})

export const baseSnapshot: RunSnapshot = {
  agent: "general",
  type: "llm",
  execution: { type: "llm" },
  systemPrompt: "You help.",
  model: "main",
  models: { main: model("big", true), light: model("small", true), free: model("unpriced", false) },
  modelTiers: [["main"], ["light"]],
  tools: ["Read", "Bash"],
  delegationTools: null,
  policy: {},
  inheritedPolicies: [],
  never: "pause",
  approval: "policy",
  pauseOnText: false,
  limits: { maxSteps: 30, timeoutSeconds: 0, budgetMicroUsd: null, budgetTokens: null },
  sandbox: "auto",
  sandboxed: false,
  cwd: "/srv/project",
  envAllow: ["PATH"],
  delegation: "none",
  subagents: {
    maxSpawnDepth: 1,
    maxChildrenPerAgent: 5,
    maxConcurrent: 8,
    runTimeoutSeconds: 0,
    archiveAfterMinutes: 60,
    archiveRoots: false,
    reports: "each",
    allowAgents: [],
    requireAgentId: false,
    downgrade: true,
    denyTools: [],
    allowTools: [],
  },
  agents: {},
  deniedTools: [],
  mcpServers: {},
  hooks: {},
  webhooks: [],
  publicUrl: "http://127.0.0.1:7420",
  timing: timingSchema.parse({}),
  compaction: { enabled: true, keepTurns: 8 },
}

export const loaded: LoadedConfig = {
  config: configSchema.parse({}),
  configPath: null,
  projectRoot: "/srv/project",
  dataDir: "/srv/project/.adjutant",
  models: {},
  knownModels: {},
}

const quick: ClientTiming = {
  updateTimeoutMs: 60,
  engineTimeoutMs: 60,
  cancelWaitMs: 60,
  checkIntervalMs: 15,
  outageToleranceMs: 60,
  startGraceMs: 60_000,
  missingConfirmMs: 60_000,
  workerSeenMs: 70_000,
}

export const actor = { by: "ana", via: "cli" } as const
export const request: StartRequest = { prompt: "Count the lines.", cwd: "/srv/project" }

export interface ClientFixture {
  readonly client: AdjutantClient
  readonly temporal: FakeTemporal
  readonly store: Store
  /** Ends a session's run in the store, as the workflow's record does, and closes its execution. */
  finish(sessionId: string, stopReason: StopReason, finalMessage?: string | null): Promise<void>
  /** Opens a pause as the workflow's record does. */
  pause(sessionId: string, pause?: Partial<NewPause>): Promise<PauseRow>
  /** Another client on the same store and engine. */
  another(timing?: Partial<ClientTiming>): AdjutantClient
}

const statusFor = (stopReason: StopReason): NonNullable<SessionPatch["status"]> => {
  if (stopReason === "completed" || stopReason === "cancelled") return stopReason
  return stopReason === "timeout" ? "timed_out" : "failed"
}

/** Creates a client over a fake engine and a real store in its own folder. */
export const clientFixture = async (
  options: {
    readonly timing?: Partial<ClientTiming>
    readonly hasSearchAttributes?: boolean
    readonly loaded?: LoadedConfig
    readonly engine?: EngineGuard
    readonly requireWorker?: () => Promise<void>
    /** Gets each request whose settings are resolved. */
    readonly onResolve?: (asked: StartRequest) => void
    /** The client's view of the store. */
    readonly clientStore?: (store: Store) => Store
  } = {},
): Promise<ClientFixture> => {
  const dataDir = await mkdtemp(join(tmpdir(), "adjutant-client-"))
  const store = await openStore({ ...(await createStoreIn(dataDir)), pollIntervalMs: 5 })
  onTestFinished(async () => {
    await store.close()
    await rm(dataDir, { recursive: true, force: true })
  })
  const temporal = new FakeTemporal()
  const another = (timing: Partial<ClientTiming> = {}): AdjutantClient =>
    createClient({
      // The directories of these sessions need not exist.
      machine: { name: "here", identify: async () => null },
      temporal,
      store: options.clientStore?.(store) ?? store,
      loaded: options.loaded ?? loaded,
      env: {},
      ...(options.engine === undefined ? {} : { engine: options.engine }),
      hasSearchAttributes: options.hasSearchAttributes ?? false,
      requireWorker: options.requireWorker,
      taskQueue: `adjutant-${store.storeId}`,
      timing: { ...quick, ...options.timing, ...timing },
      resolveRun: async (_loaded, asked) => {
        options.onResolve?.(asked)
        return {
          ...baseSnapshot,
          limits: { ...baseSnapshot.limits, maxSteps: asked.max_steps ?? 30 },
          pauseOnText: asked.pause_on_approval ?? false,
        }
      },
    })
  const runOf = async (sessionId: string): Promise<string> => (await store.sessions.get(sessionId))?.runId ?? ""
  return {
    client: another(),
    temporal,
    store,
    another,
    finish: async (sessionId, stopReason, finalMessage = "Done.") => {
      const runId = await runOf(sessionId)
      const status = statusFor(stopReason)
      await store.runs.patch(runId, { status, stopReason, finalMessage, stepsTaken: 2 })
      await store.sessions.patch(sessionId, { status, stopReason, finalMessage, stepsTaken: 2 })
      await store.events.append(sessionId, [{ type: "run-finished", runId, data: { status } }])
      temporal.execution(sessionId).status = "COMPLETED"
    },
    pause: async (sessionId, pause = {}) => {
      const runId = await runOf(sessionId)
      const opened = await store.pauses.open({
        checkpointId: `cp_${Math.random().toString(36).slice(2)}`,
        sessionId,
        runId,
        ordinal: 0,
        type: "tool_approval_required",
        calls: [
          { id: "call_1", name: "Bash", arguments: { command: "ls" } },
          { id: "call_2", name: "Write", arguments: { file_path: "a" } },
        ],
        message: "May I?",
        ...pause,
      })
      await store.sessions.patch(sessionId, { status: "paused" })
      await store.events.append(sessionId, [{ type: "run-paused", runId, data: {} }])
      return opened
    },
  }
}
