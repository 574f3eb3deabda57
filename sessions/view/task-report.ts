import { advise } from "../../domain/advice/advise.ts"
import type { Surface } from "../../domain/advice/surface.ts"
import { isFinal } from "../../domain/run/is-final.ts"
import { taskEnvelope, type TaskEnvelopeFacts } from "../../domain/delegation/task/task-envelope.ts"
import type { ToolAnswer } from "../../domain/delegation/tool-answer.ts"
import type { TaskFacts } from "../../domain/delegation/task/task-details.ts"
import type { TaskRow } from "../../domain/delegation/task/task-table.ts"
import { type ToolUse, toolUseOf } from "../../domain/delegation/task/tool-use.ts"
import { toUsage } from "../../domain/limits/usage-totals.ts"
import type { AuditRow, SessionRow, Store, RunRow } from "../../store/store.ts"
import type { SessionsContext } from "../sessions-context.ts"
import { inspectSession } from "../engine/inspect-session.ts"
import type { ListFilter } from "./list-sessions.ts"
import { worktreeView } from "./worktree-view.ts"
import { readLastText } from "../rows/read-last-text.ts"
import { requireSession } from "../rows/require-session.ts"
import { openPauseFacts } from "../../domain/delegation/task/open-pause-facts.ts"
import { runDurationMs } from "../../domain/delegation/task/run-duration.ts"
import { shownCall } from "../../domain/preview/shown-call.ts"
import { openPausesOf } from "../pauses/open-pauses.ts"
import { treeCheckpointOf } from "../pauses/tree-pause.ts"
import { readLastProgress } from "../rows/read-last-progress.ts"
import { descendantsOf } from "../rows/session-tree.ts"

/** The facts about a task, with the data that only the answer of a `Task` call needs. */
export interface TaskReport extends ToolUse, Pick<SessionRow, "internal" | "cwd" | "createdAt" | "updatedAt"> {
  readonly facts: TaskFacts
}

/** Returns what is pending in a session and its descendants. */
const pauseFactsOf = async (
  store: Pick<Store, "sessions" | "pauses">,
  row: SessionRow,
): Promise<TaskFacts["pause"]> => {
  if (isFinal(row.status)) return null
  const open = await openPausesOf(store, [row, ...(await descendantsOf(store, row))])
  const facts = openPauseFacts(
    row.id,
    open.map((pause) => ({ ...pause, calls: pause.calls.map(shownCall) })),
  )
  const isOwn = open.length === 1 && open[0]?.sessionId === row.id
  return facts === null || isOwn ? facts : { ...facts, treeCheckpointId: treeCheckpointOf(row.id, open) }
}

/** Returns one row of the table of tasks, from a session and its latest run. */
const taskRowFrom = (row: SessionRow, run: RunRow | undefined): TaskRow => ({
  id: row.id,
  status: row.status,
  number: row.number,
  description: row.title ?? row.label,
  startedAt: run?.startedAt ?? row.createdAt,
  durationMs: runDurationMs(run, Date.now()),
  stepsTaken: (run ?? row).stepsTaken,
})

/** Returns the last output of a command that runs as a task; null for any other session, and before there is any. */
const commandOutput = async (store: Pick<Store, "events">, row: SessionRow): Promise<string | null> => {
  if (row.internal["tool"] !== "run_command_task" || isFinal(row.status) || row.runId === null) return null
  const message = await readLastProgress(store, { sessionId: row.id, runId: row.runId })
  return message === "" ? null : message
}

type FactStore = Pick<Store, "sessions" | "runs" | "messages" | "pauses" | "usage" | "events" | "worktrees" | "audit">

const runOf = ({ runs }: Pick<Store, "runs">, { id, runId }: SessionRow) =>
  runId === null ? runs.latest(id) : runs.get(runId)

const latestAudited = 20

/** Returns who cancelled a task, or what is above it; undefined if the end of the run above did. */
const cancelOf = async ({ audit }: Pick<Store, "audit">, row: SessionRow): Promise<AuditRow | undefined> => {
  for (const sessionId of new Set([row.id, row.parentId ?? row.id, row.rootId])) {
    const found = (await audit.list({ sessionId, limit: latestAudited })).find(({ action }) => action === "cancel")
    if (found !== undefined) return found
  }
  return undefined
}

/** Names who cancelled a task: an agent did not do it itself, unless it is the one that is named. */
const withCanceller = (error: TaskFacts["error"], cancel: AuditRow | undefined): TaskFacts["error"] => {
  if (error === null || cancel === undefined) return error
  const kind = cancel.kind === "person" ? ", a person" : ""
  return { ...error, message: `${error.message} by ${cancel.by} (${cancel.via}${kind})` }
}

/** Returns the facts about a task from its row, without asking the engine. */
export const taskFactsOf = async (store: FactStore, row: SessionRow): Promise<TaskFacts> => {
  const run = await runOf(store, row)
  const runId = run?.runId ?? row.runId
  const written =
    (run ?? row).finalMessage ??
    (runId === null ? "" : await readLastText(store, { sessionId: row.id, runId, headSeq: row.headSeq }))
  const worktree = await store.worktrees.get(row.id)
  return {
    ...taskRowFrom(row, run),
    sessionKey: row.sessionKey,
    label: row.label,
    agent: row.agent,
    model: row.model,
    stopReason: row.stopReason,
    runId,
    result: written === "" ? await commandOutput(store, row) : written,
    error: withCanceller(run?.error ?? row.error, row.status === "cancelled" ? await cancelOf(store, row) : undefined),
    pause: await pauseFactsOf(store, row),
    usage: toUsage(await store.usage.total({ sessionId: row.id, ...(runId === null ? {} : { runId }) })),
    ...(worktree === undefined ? {} : { worktree: worktreeView(worktree) }),
  }
}

/** Returns the same, with what only the answer of a `Task` call needs. */
export const reportOf = async (store: FactStore, row: SessionRow): Promise<TaskReport> => {
  const facts = await taskFactsOf(store, row)
  const { internal, cwd, createdAt, updatedAt } = row
  const rows = await store.messages.read(row.id, { headSeq: row.headSeq })
  return { facts, ...toolUseOf(rows, facts.runId), internal, cwd, createdAt, updatedAt }
}

/** Returns what a caller can do about the sub-agent of a `Task` call that has not ended. */
const adviceOn = ({ id, status }: TaskFacts, surface: Surface): string | undefined => {
  if (isFinal(status)) return undefined
  const collect = advise({ about: "result", ids: [id] }, surface)
  if (status !== "paused") return collect
  const call = advise({ about: "decision", taskId: id, isBelow: false }, surface)
  return [call, collect].filter((text) => text !== undefined).join(" ")
}

/** Returns the answer of a `Task` call. `paramsInput`: its arguments, if the session does not have them; `surface`: where it is read, if it may not have ended. */
export const envelopeOf = (
  report: TaskReport,
  { paramsInput, surface }: { readonly paramsInput?: unknown; readonly surface?: Surface } = {},
): ToolAnswer => {
  const { facts, internal } = report
  const envelope: TaskEnvelopeFacts = {
    sessionId: facts.id,
    status: facts.status,
    stopReason: facts.stopReason,
    finalMessage: facts.result,
    error: facts.error,
    toolCounts: report.toolCounts,
    modelName: internal["model"] === "light" ? "light" : "main",
    subagentType: facts.agent,
    timeMs: facts.durationMs ?? 0,
    cwd: report.cwd,
    paramsInput: paramsInput ?? internal["params_input"] ?? null,
  }
  return taskEnvelope(envelope, surface === undefined ? undefined : adviceOn(facts, surface))
}

/**
 * Returns the details of a task, after asking the engine.
 * @throws AdjutantError `session_not_found`
 */
export const taskReport = async (context: SessionsContext, sessionId: string): Promise<TaskReport> =>
  reportOf(context.store, (await inspectSession(context, await requireSession(context.store, sessionId))).row)

/** Returns a session as a row of a table of tasks. */
export const taskRowOf = async (store: Pick<Store, "runs">, row: SessionRow): Promise<TaskRow> =>
  taskRowFrom(row, await runOf(store, row))

/** Which tasks are shown: the newest ones, or these. */
export type TaskFilter = (Pick<ListFilter, "caller"> & { readonly limit: number }) | { readonly ids: readonly string[] }

/** Returns tasks, one row each, without asking the engine. */
export const listTaskRows = async ({ store }: SessionsContext, filter: TaskFilter): Promise<readonly TaskRow[]> => {
  const rows =
    "ids" in filter
      ? await Promise.all(filter.ids.map((id) => store.sessions.get(id)))
      : (await store.sessions.list(filter)).items
  const shown = rows.flatMap((row) => (row === undefined || row.deletedAt !== null ? [] : [row]))
  return await Promise.all(shown.map((row) => taskRowOf(store, row)))
}
