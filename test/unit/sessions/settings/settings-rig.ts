import { mkdtemp, realpath, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { MockActivityEnvironment } from "@temporalio/testing"
import { onTestFinished } from "vitest"
import type { AgentDependencies } from "../../../../activities/agent-dependencies.ts"
import type {
  DelegationDirective,
  PrepareDelegationInput,
} from "../../../../activities/contract/delegation-activities.ts"
import { createAnswerDelegation } from "../../../../activities/delegation/answer-delegation.ts"
import { createPrepareDelegation } from "../../../../activities/delegation/prepare-delegation.ts"
import { createClient } from "../../../../client/create-client.ts"
import type { AgentStartOptions } from "../../../../engine/temporal-client.ts"
import { modelSpecs } from "../../../../config/models/model-specs.ts"
import { collectSecrets } from "../../../../config/secrets/secrets.ts"
import { type ConfigInput, configSchema } from "../../../../contracts/config/config.ts"
import type { RunSnapshot } from "../../../../contracts/run-snapshot.ts"
import { createRedact } from "../../../../domain/text/redact.ts"
import { withWorkerPolicy, type WorkerPolicy } from "../../../../domain/approval/worker-policy.ts"
import type { SpawnCall } from "../../../../sessions/spawn/spawn-request.ts"
import type { StartRequest } from "../../../../sessions/start-request.ts"
import { openStore } from "../../../../store/open-store.ts"
import type { SessionRow, Store } from "../../../../store/store.ts"
import { createWorktreeFiles } from "../../../../tools/worktree/worktree-files.ts"
import { actor } from "../../client/client-fixture.ts"
import { createStoreIn } from "../../../helpers/store/store-under-test.ts"
import { FakeTemporal } from "../../client/fake-temporal.ts"

const usage = { inputTokens: 1, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0, reasoningTokens: 0 }

/** A delegation call of an agent, with its own budget and time. */
export interface AgentCall {
  readonly tool: string
  readonly args: Readonly<Record<string, unknown>>
  readonly input?: Partial<Pick<PrepareDelegationInput, "budgetLeft" | "timeLeftMs" | "children" | "isUnasked">>
  /** Its place in the transcript, the same for all attempts of a call; by default a new one. */
  readonly seq?: number
  /** What the worker that executes the call demands of every run. */
  readonly workerPolicy?: WorkerPolicy
  /** Why no sandbox works on the worker; by default one does. */
  readonly sandboxReason?: string
}

export type CallOutcome =
  | { readonly kind: "started"; readonly sessionId: string; readonly snapshot: RunSnapshot; readonly reserved: unknown }
  | { readonly kind: "answered"; readonly text: string }

interface Opened {
  readonly store: Store
  readonly temporal: FakeTemporal
  readonly env: Readonly<Record<string, string>>
  readonly allowBinaryAgents: boolean
}

const latestRun = async (store: Store, sessionId: string): Promise<RunSnapshot> => {
  const row = await store.sessions.get(sessionId)
  const run = await store.runs.get(row?.runId ?? "")
  const snapshot = await store.snapshots.get(run?.snapshotHash ?? "")
  if (snapshot === undefined) throw new Error(`session ${sessionId} has no settings`)
  return snapshot
}

const propose = (store: Store, parent: SessionRow, seq: number, { tool, args }: AgentCall): Promise<unknown> =>
  store.messages.put(parent.id, {
    seq,
    runId: parent.runId ?? "",
    step: 1,
    fence: 0,
    message: {
      role: "assistant",
      provider: "scripted",
      model: "fake",
      parts: [{ type: "tool_call", call: { id: `call_${seq}`, name: tool, arguments: { ...args } } }],
      usage,
      stop: "tool_calls",
    },
  })

const outcomeOf = async (store: Store, parent: SessionRow, seq: number, directive: DelegationDirective) => {
  if (directive.kind === "spawn") {
    const { id, run, reserved } = directive.child
    const snapshot = await store.snapshots.get(run.snapshot_hash)
    if (snapshot === undefined) throw new Error("no settings")
    // The child's own workflow writes this when it opens its run.
    await store.sessions.patch(id, { runId: run.run_id })
    return { kind: "started", sessionId: id, snapshot, reserved } as const
  }
  const message = (await store.messages.get(parent.id, seq + 1))?.message
  return { kind: "answered", text: message?.role === "tool" ? message.content : "" } as const
}

/** Prepares a delegation call of a session's run, as the worker does. */
const prepareAsAgent = async (
  { store, temporal, env, allowBinaryAgents }: Opened,
  parentId: string,
  call: AgentCall,
) => {
  const parent = await store.sessions.get(parentId)
  if (parent === undefined) throw new Error(`there is no session ${parentId}`)
  const snapshot = await latestRun(store, parentId)
  const seq = call.seq ?? (await store.messages.read(parentId, { headSeq: 1_000 })).length + 100
  await propose(store, parent, seq, call)
  const deps = {
    store,
    temporal,
    env,
    allowBinaryAgents,
    tools: new Map(),
    dataDir: parent.cwd,
    worktrees: createWorktreeFiles(),
    sandboxFor: async (mode: string) => ({
      confined: mode !== "off" && call.sandboxReason === undefined,
      reason: call.sandboxReason,
    }),
    readProjectNotes: async () => [],
    findSkills: async () => [],
    directoryProblem: async () => undefined,
    redact: (text: string) => text,
    workerPolicy: call.workerPolicy,
  } as unknown as AgentDependencies
  const input: PrepareDelegationInput = {
    sessionId: parentId,
    runId: parent.runId ?? "",
    snapshotHash: "",
    step: 1,
    assistantSeq: seq,
    callId: `call_${seq}`,
    resultSeq: seq + 1,
    children: [],
    budgetLeft: { microUsd: snapshot.limits.budgetMicroUsd, tokens: snapshot.limits.budgetTokens },
    timeLeftMs: snapshot.limits.timeoutSeconds * 1_000,
    historyIsFull: false,
    outbox: { events: [] },
    ...call.input,
  }
  const prepare = createPrepareDelegation(deps, async () => withWorkerPolicy(snapshot, call.workerPolicy))
  const directive = (await new MockActivityEnvironment().run(prepare, input)) as DelegationDirective
  return { parent, seq, input, directive }
}

/** Executes a delegation call of a session's run, as the worker does. */
const callAsAgent = async (opened: Opened, parentId: string, call: AgentCall): Promise<CallOutcome> => {
  const { parent, seq, directive } = await prepareAsAgent(opened, parentId, call)
  return await outcomeOf(opened.store, parent, seq, directive)
}

/** The same, to the result that the agent gets: of a wait, what it returns when it has ended. */
const answerAgent = async (
  opened: Opened,
  parentId: string,
  call: AgentCall & { readonly whenStarted?: (childId: string) => Promise<void> },
): Promise<string> => {
  const { store } = opened
  const { parent, seq, input, directive } = await prepareAsAgent(opened, parentId, call)
  if (directive.kind === "spawn" || directive.kind === "wait") {
    if (directive.kind === "spawn") {
      await outcomeOf(store, parent, seq, directive)
      const workflowId = `subagent/${directive.child.id}`
      const started = { workflowId, args: [], taskQueue: "q" } as unknown as AgentStartOptions
      opened.temporal.executions.delete(workflowId)
      await opened.temporal.workflow.start(directive.child.workflowType, started)
      await call.whenStarted?.(directive.child.id)
    }
    const { childIds, isStart } =
      directive.kind === "spawn"
        ? { childIds: [directive.child.id], isStart: directive.use !== "task" }
        : { childIds: directive.childIds, isStart: false }
    const answer = createAnswerDelegation(store, () => latestRun(store, parentId))
    await new MockActivityEnvironment().run(answer, { ...input, childIds, timedOut: false, isStart })
  }
  const message = (await store.messages.get(parent.id, seq + 1))?.message
  return message?.role === "tool" ? message.content : `(${directive.kind})`
}

/** Opens a client and a worker's delegation activity over one store: every way to start a session, without an engine. */
export const openSettings = async (config: ConfigInput, env: Readonly<Record<string, string>>) => {
  const cwd = await realpath(await mkdtemp(join(tmpdir(), "adjutant-settings-")))
  await writeFile(join(cwd, "demo.yaml"), "conversations: []\n")
  const loadedOf = (given: ConfigInput) => {
    const changed = configSchema.parse(given)
    const specs = modelSpecs({ config: changed, env, projectRoot: cwd })
    return { config: changed, configPath: null, projectRoot: cwd, dataDir, ...specs }
  }
  const parsed = configSchema.parse(config)
  const dataDir = join(cwd, ".adjutant")
  const store = await openStore({ ...(await createStoreIn(dataDir)), pollIntervalMs: 5 })
  onTestFinished(async () => {
    await store.close()
    await rm(cwd, { recursive: true, force: true })
  })
  const loaded = loadedOf(config)
  const temporal = new FakeTemporal()
  const redact = createRedact(collectSecrets(parsed, loaded.models, env))
  const clientOf = (given: typeof loaded) =>
    createClient({ temporal, store, loaded: given, env, redact, hasSearchAttributes: false, taskQueue: "q" })
  const client = clientOf(loaded)
  const opened = { store, temporal, env, allowBinaryAgents: parsed.security.allowBinaryAgents }
  const start = async (request: Partial<StartRequest> = {}): Promise<string> =>
    (await client.start({ prompt: "do it", cwd, ...request })).sessionId
  return {
    client,
    store,
    temporal,
    loaded,
    /** A client of a later process, with another configuration. */
    restarted: (changed: ConfigInput) => clientOf(loadedOf(changed)),
    cwd,
    start,
    settingsOf: (sessionId: string) => latestRun(store, sessionId),
    agentCalls: (parentId: string, call: AgentCall) => callAsAgent(opened, parentId, call),
    answerAgent: (parentId: string, call: Parameters<typeof answerAgent>[2]) => answerAgent(opened, parentId, call),
    spawn: async (call: SpawnCall): Promise<RunSnapshot> => {
      const outcome = await client.spawn({ call, caller: "mcp", cwd, actor })
      if (outcome.kind === "refused") throw new Error(outcome.refusal.error)
      return await latestRun(store, outcome.child.sessionId)
    },
    /** Ends a session's run, as its workflow does. */
    finish: async (sessionId: string): Promise<void> => {
      const row = await store.sessions.get(sessionId)
      const outcome = { status: "completed", stopReason: "completed", finalMessage: "Done.", stepsTaken: 1 } as const
      await store.runs.patch(row?.runId ?? "", outcome)
      await store.sessions.patch(sessionId, outcome)
      const execution = temporal.executions.get(`subagent/${sessionId}`)
      if (execution !== undefined) execution.status = "COMPLETED"
    },
  }
}

export type SettingsRig = Awaited<ReturnType<typeof openSettings>>
