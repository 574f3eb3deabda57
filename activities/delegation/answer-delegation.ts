import { ApplicationFailure } from "@temporalio/activity"
import type { ToolCall } from "../../contracts/message.ts"
import type { RunSnapshot } from "../../contracts/run-snapshot.ts"
import type { ToolSurface } from "../../domain/advice/surface.ts"
import { withEditNote } from "../../domain/calls/edit-note.ts"
import { resumedAnswer } from "../../domain/delegation/answers/resumed-answer.ts"
import { sentAnswer } from "../../domain/delegation/answers/sent-answer.ts"
import { refusedSpawnAnswer, startedAnswer, type StartingTool } from "../../domain/delegation/spawn-result.ts"
import { taskRefusal } from "../../domain/delegation/task/task-envelope.ts"
import { waitResult } from "../../domain/delegation/task/wait-result.ts"
import type { ToolAnswer } from "../../domain/delegation/tool-answer.ts"
import { isFinal } from "../../domain/run/is-final.ts"
import { recordOutcome } from "../../sessions/outcome/record-outcome.ts"
import type { RunOutcome } from "../../sessions/rows/run-outcome.ts"
import { envelopeOf } from "../../sessions/view/task-report.ts"
import { reportOf, taskFactsOf } from "../../sessions/view/task-report.ts"
import type { SessionRow, Store } from "../../store/store.ts"
import type { AnswerDelegationInput, DelegationActivities } from "../contract/delegation-activities.ts"
import { noteReported } from "../transcript/note-reported.ts"
import { loadCall } from "../tools/load-call.ts"
import { agentSurface, immediate } from "./delegation-call.ts"
import { writeDelegationAnswer } from "./write-delegation-answer.ts"

type AnsweringStore = Pick<
  Store,
  | "audit"
  | "callEdits"
  | "sessions"
  | "runs"
  | "messages"
  | "pauses"
  | "usage"
  | "events"
  | "snapshots"
  | "worktrees"
  | "transaction"
>

const isStartingTool = (name: string): name is StartingTool =>
  name === "sessions_spawn" || name === "dynamic_subagent_task" || name === "run_command_task"

/** Returns the answer of a call that has started the next run of a child. */
const continued = (call: ToolCall, { id }: SessionRow, runId: string, surface: ToolSurface): ToolAnswer =>
  call.name === "resume_subagent_task" || call.name === "resume_task"
    ? resumedAnswer(id, { runId, plan: { kind: "follow_up", text: "" } }, surface)
    : sentAnswer(id, { runId, effect: "started", state: "accepted" }, surface)

const started = async (
  store: AnsweringStore,
  call: ToolCall,
  { row, surface }: { readonly row: SessionRow; readonly surface: ToolSurface },
): Promise<ToolAnswer> => {
  const run = await store.runs.latest(row.id)
  const runId = run?.runId ?? ""
  if (!isStartingTool(call.name)) return continued(call, row, runId, surface)
  const { warning } = row.internal
  const child = {
    ...{ sessionId: row.id, runId, childSessionKey: row.sessionKey },
    ...(typeof warning === "string" ? { warning } : {}),
  }
  const settings = run === undefined ? undefined : await store.snapshots.get(run.snapshotHash)
  const { tools = [], sandboxed = false, taskSandbox } = settings ?? {}
  const startedChild = { child, title: row.title ?? "", model: row.model, tools, sandboxed, taskSandbox }
  return startedAnswer(call.name, startedChild, surface)
}

/** Returns the answer of each tool if its child could not be started. */
const refusal = (call: ToolCall, row: SessionRow, problem: string, surface: ToolSurface): ToolAnswer => {
  if (call.name === "Task")
    return taskRefusal({ code: "INTERNAL_ERROR", message: problem, cwd: row.cwd, paramsInput: call.arguments })
  const tool = isStartingTool(call.name) ? call.name : "dynamic_subagent_task"
  return refusedSpawnAnswer(tool, { status: "error", error: problem }, surface)
}

/** Ends a run that no execution has opened; a run that another execution has opened is not changed. */
const endUnstartedRun = async (
  store: Pick<Store, "runs" | "transaction">,
  row: SessionRow,
  { runId, problem }: NonNullable<AnswerDelegationInput["refused"]>,
): Promise<void> => {
  const run = await store.runs.get(runId)
  if (run === undefined || run.startedAt !== null || isFinal(run.status)) return
  const outcome: RunOutcome = {
    status: "failed",
    stopReason: "error",
    error: { code: "error", message: problem },
    finalMessage: null,
  }
  const session = isFinal(row.status) ? null : outcome
  await recordOutcome(store, { ...outcome, sessionId: row.id, runId, shown: row.runId, stepsTaken: 0, session })
}

const delegationAnswer = async (
  store: AnsweringStore,
  input: AnswerDelegationInput,
  { call, surface }: { readonly call: ToolCall; readonly surface: ToolSurface },
): Promise<ToolAnswer> => {
  const rows = (await Promise.all(input.childIds.map((id) => store.sessions.get(id)))).filter(
    (row) => row !== undefined,
  )
  const [first] = rows
  if (first === undefined) throw ApplicationFailure.nonRetryable("a child is not in the store", "storage_failed")
  if (input.refused !== undefined) {
    await endUnstartedRun(store, first, input.refused)
    return refusal(call, first, input.refused.problem, surface)
  }
  if (call.name === "Task") return envelopeOf(await reportOf(store, first), { paramsInput: call.arguments })
  if (input.isStart) return started(store, call, { row: first, surface })
  const tasks = await Promise.all(rows.map((row) => taskFactsOf(store, row)))
  return waitResult({ tasks, timedOut: input.timedOut }, surface)
}

/** Creates the activity that writes the result of a call that started a child, or waited. */
export const createAnswerDelegation =
  (
    store: AnsweringStore,
    snapshotOf: (hash: string) => Promise<RunSnapshot>,
  ): DelegationActivities["answerDelegation"] =>
  async (input) => {
    const call = await loadCall(store, input)
    const depth = (await store.sessions.get(input.sessionId))?.depth ?? 0
    const surface = agentSurface(await snapshotOf(input.snapshotHash), depth)
    const answer = immediate(call.name, await delegationAnswer(store, input, { call, surface }))
    await writeDelegationAnswer(store, {
      scope: input,
      call,
      outcome: answer.isError === true ? "error" : "ok",
      content: withEditNote(input, call, answer.content),
    })
    if (!input.isStart) for (const childId of input.childIds) await noteReported(store, childId)
  }
