import type { AgentDependencies } from "../agent-dependencies.ts"
import { ApplicationFailure, asyncLocalStorage } from "@temporalio/activity"
import type { RunSnapshot } from "../../contracts/run-snapshot.ts"
import { type RunApproval, approvesMore, narrowApproval } from "../../domain/approval/narrow-approval.ts"
import { hookEventOf } from "../../domain/run/hook-event.ts"
import { runStartedOrdinal } from "../../domain/run/run-event-ordinals.ts"
import { livenessProfiles } from "../../domain/engine/liveness.ts"
import { allowedModel } from "../../domain/models/allowed-model.ts"
import { fallbacksByModel } from "../../domain/models/fallback-models.ts"
import { isStrongerModel } from "../../domain/models/model-choice.ts"
import { withLimits } from "../../domain/limits/raise-limit.ts"
import { narrowLimits } from "../../domain/limits/narrow-limits.ts"
import { liveBinding } from "../../sessions/delivery/live-binding.ts"
import { undeliveredOf } from "../../sessions/delivery/undelivered.ts"
import type { RunStoreActivities } from "../contract/agent-activities.ts"
import type { FindElsewhere } from "./placement.ts"
import type { RunRow, SessionRow } from "../../store/store.ts"
import type { OpenedRun, OpenRunInput } from "../contract/opened-run.ts"
import { patchOwnRun } from "../transcript/activity-fence.ts"
import { signalSession } from "../../engine/send-update.ts"

type OpenDependencies = Pick<AgentDependencies, "store" | "temporal" | "directoryProblem" | "liveness"> & {
  readonly findElsewhere: FindElsewhere
}

interface Settings {
  readonly hash: string
  readonly snapshot: RunSnapshot
}

/**
 * Returns the settings of the run. They were resolved when its message was sent. Meanwhile the message may have waited behind other runs, whose limits
 * were narrowed: the run does not get back what they lost.
 */
const runSettings = async (
  store: AgentDependencies["store"],
  scope: OpenRunInput,
  snapshotOf: (hash: string) => Promise<RunSnapshot>,
): Promise<Settings> => {
  const { snapshotHash: hash, followsHash, narrowedBy } = scope
  const snapshot = await snapshotOf(hash)
  if (narrowedBy !== undefined) {
    // The id came in a signal, which anybody with access to Temporal can send. Narrowing is harmless; an unknown id is ignored.
    const named = await store.snapshots.get(narrowedBy)
    return named === undefined ? { hash, snapshot } : putSettings(store, narrowLimits(snapshot, named).snapshot)
  }
  if (scope.alreadyOpen || followsHash === undefined || followsHash === hash) return { hash, snapshot }
  const before = await snapshotOf(followsHash)
  // An approver has raised these limits after they had ended the run before, so they may be wider.
  const limits = withLimits(before.limits, snapshot.raisedLimits ?? [], snapshot.limits)
  return putSettings(store, narrowLimits({ ...before, limits }, snapshot).snapshot)
}

/** Narrows the approval of the run to what the senders of its messages may give. */
const withinSenders = async (
  store: AgentDependencies["store"],
  { approval = "all" }: OpenRunInput,
  settings: Settings,
): Promise<Settings> => {
  const { snapshot } = settings
  if (!approvesMore(approval, snapshot.approval)) return settings
  return putSettings(store, { ...snapshot, approval: narrowApproval(approval, snapshot.approval) })
}

const putSettings = async (store: AgentDependencies["store"], snapshot: RunSnapshot): Promise<Settings> => ({
  hash: await store.snapshots.put(snapshot),
  snapshot,
})

/** Refuses a run whose directory is closed to all tools. If it is missing or was replaced, only the tools fail: another worker may have it. */
const directoryRefusal = async (
  { directoryProblem, findElsewhere }: Pick<OpenDependencies, "directoryProblem" | "findElsewhere">,
  sessionId: string,
  { cwd }: RunSnapshot,
): Promise<Pick<OpenedRun, "refusal">> => {
  const problem = await directoryProblem(cwd)
  if (problem?.kind !== "closed") return {}
  // The session's directory is on another machine, so this path may be another directory here.
  if ((await findElsewhere(sessionId)) !== undefined) return {}
  return { refusal: { code: "forbidden", message: problem.message } }
}

/**
 * Returns how the run reports to its thread, if a person follows it in one: then words go out at once, and results of sub-agents do not wait for one
 * another.
 */
const threadOf = async (
  store: AgentDependencies["store"],
  sessionId: string,
  { subagents }: RunSnapshot,
): Promise<Pick<OpenedRun, "thread">> => {
  const binding = await liveBinding(store, sessionId)
  return binding === undefined ? {} : { thread: { reports: subagents.reports } }
}

/** Returns the run's timing, with what it leaves to the worker's liveness profile. */
const timingOf = ({ liveness }: Pick<AgentDependencies, "liveness">, { timing }: RunSnapshot): OpenedRun["timing"] =>
  timing.heartbeatTimeoutMs === 0
    ? { ...timing, heartbeatTimeoutMs: livenessProfiles[liveness].heartbeatTimeoutMs }
    : timing

const fallbacksOf = (snapshot: RunSnapshot): Pick<OpenedRun, "fallbacks"> => {
  const fallbacks = fallbacksByModel(snapshot)
  return Object.keys(fallbacks).length === 0 ? {} : { fallbacks }
}

/**
 * Returns how the run has ended, if it has: its message was delivered twice, and an earlier execution has answered it. A run that was recorded as lost
 * before it began is not over: its message is picked up only now.
 */
const earlierEnd = (run: RunRow | undefined): Pick<OpenedRun, "ended"> => {
  if (run?.stopReason == null || (run.stopReason === "terminated" && run.startedAt === null)) return {}
  return { ended: { stopReason: run.stopReason, error: run.error } }
}

/** Returns the results of sub-agents that no run of the session has read. */
const undeliveredField = (session: SessionRow): Pick<OpenedRun, "undelivered"> => {
  const undelivered = undeliveredOf(session)
  return undelivered.length === 0 ? {} : { undelivered }
}

/** Sessions that a program creates below another one report to nobody. */
const reportsUp = ({ internal }: Pick<SessionRow, "internal">): boolean => internal["spawnKey"] !== undefined

/**
 * Signals to the open sessions above, as far up as results are reported, that a message narrows the approval below them: what a sub-agent reports may
 * be its sender's words. Resolves when the engine has the signals, so they are there before the report is.
 */
const narrowAncestors = async (
  { store, temporal }: Pick<AgentDependencies, "store" | "temporal">,
  session: SessionRow,
  approval: RunApproval,
): Promise<void> => {
  const payload = { id: session.id, status: "narrowed", approval }
  let row: SessionRow | undefined = session
  while (row !== undefined && row.parentId !== null && reportsUp(row)) {
    const above: string = row.parentId
    await signalSession(temporal, { sessionId: above, name: "child", payload })
    row = await store.sessions.get(above)
  }
}

const executionId = (): string => asyncLocalStorage.getStore()?.info.workflowExecution?.runId ?? ""

/** Marks the run as running and answers what the workflow has to know of its snapshot. */
export const createOpenRun =
  (deps: OpenDependencies, snapshotOf: (hash: string) => Promise<RunSnapshot>): RunStoreActivities["openRun"] =>
  async (scope) => {
    const { store } = deps
    if (!scope.alreadyOpen) await store.runs.create(scope)
    const runs = await store.runs.list(scope.sessionId)
    const ended =
      scope.alreadyOpen || scope.isNew !== true ? {} : earlierEnd(runs.find(({ runId }) => runId === scope.runId))
    const begins = !scope.alreadyOpen && ended.ended === undefined
    if (begins) await showInstruction(store, scope)
    // Before it is recorded that it begins.
    const hasBegun = runs.find(({ runId }) => runId === scope.runId)?.startedAt != null
    const { hash, snapshot } = await withinSenders(store, scope, await runSettings(store, scope, snapshotOf))
    const session = await store.sessions.get(scope.sessionId)
    if (session === undefined)
      throw ApplicationFailure.nonRetryable(`session ${scope.sessionId} is not in the store`, "session_not_found")
    if (begins) await recordStart(store, scope, { hash, snapshot })
    else if (scope.alreadyOpen && hash !== scope.snapshotHash) {
      const { sessionId, runId } = scope
      const change = { run: { snapshotHash: hash }, session: { model: modelOf(scope, snapshot) } }
      await patchOwnRun(store, { sessionId, runId, ...change })
    }
    if (scope.approval !== undefined) await narrowAncestors(deps, session, scope.approval)
    const earlier = runs.filter((run) => run.runId !== scope.runId)
    return {
      snapshotHash: hash,
      execution: begins && hasBegun ? "" : executionId(),
      headSeq: await store.messages.placedHead(scope.sessionId),
      stepsBefore: earlier.reduce((sum, run) => sum + run.stepsTaken, 0),
      model: snapshot.model,
      modelNames: Object.keys(snapshot.models).filter((name) => !isStrongerModel(name, snapshot.model, snapshot)),
      ...fallbacksOf(snapshot),
      maxSteps: snapshot.limits.maxSteps,
      timeoutMs: snapshot.limits.timeoutSeconds * 1_000,
      budgetMicroUsd: snapshot.limits.budgetMicroUsd,
      budgetTokens: snapshot.limits.budgetTokens,
      pauseOnText: snapshot.pauseOnText,
      type: snapshot.type,
      executionTimeoutMs: snapshot.execution.type === "llm" ? 0 : snapshot.execution.timeoutMs,
      hasBeforeHooks: (snapshot.hooks[hookEventOf(snapshot.type, "before")] ?? []).length > 0,
      hasAfterHooks: (snapshot.hooks[hookEventOf(snapshot.type, "after")] ?? []).length > 0,
      laneCapacity: session.depth === 0 ? 0 : snapshot.subagents.maxConcurrent,
      timing: timingOf(deps, snapshot),
      followsStops: deps.liveness === "cluster",
      ...ended,
      ...(snapshot.worktree?.isOwn === true ? { worktree: true } : {}),
      ...(scope.alreadyOpen ? {} : undeliveredField(session)),
      ...(await threadOf(store, scope.sessionId, snapshot)),
      ...(await directoryRefusal(deps, scope.sessionId, snapshot)),
    }
  }

/** Shows the run's instruction in the transcript while the run waits for a slot and for its first step. A sender may have done so already. */
const showInstruction = async (
  store: AgentDependencies["store"],
  { sessionId, runId, instruction }: OpenRunInput,
): Promise<void> => {
  if (instruction === undefined) return
  const { source, inboxId } = instruction
  const text = instruction.text ?? (await store.inbox.get(sessionId, inboxId))?.text
  if (text !== undefined) await store.messages.accept(sessionId, { runId, message: { role: "user", source, text } })
}

const recordStart = async (
  store: AgentDependencies["store"],
  scope: OpenRunInput,
  { hash, snapshot }: Settings,
): Promise<void> => {
  const { sessionId, runId } = scope
  const model = modelOf(scope, snapshot)
  await store.transaction(async (writes) => {
    await patchOwnRun(writes, {
      ...{ sessionId, runId, from: ["pending"], takesOver: true },
      run: {
        status: "running",
        startedAt: new Date().toISOString(),
        ...(hash === scope.snapshotHash ? {} : { snapshotHash: hash }),
      },
      session: { status: "running", runId, stopReason: null, finalMessage: null, error: null, blockedBy: null, model },
    })
    await writes.events.append(sessionId, [
      { type: "run-started", runId, ordinal: runStartedOrdinal, data: { agent: snapshot.agent, model } },
    ])
  })
}

const modelOf = ({ modelOverride }: OpenRunInput, snapshot: RunSnapshot): string =>
  allowedModel(snapshot, modelOverride ?? null)
