import { ApplicationFailure } from "@temporalio/activity"
import { dynamicSubagentTaskInputSchema } from "../../contracts/delegation/tasks-input.ts"
import type { ToolCall } from "../../contracts/message.ts"
import { sentText } from "../../domain/delegation/sent-text.ts"
import {
  commandStarted,
  spawnAccepted,
  spawnRefused,
  taskStarted,
  taskStartRefused,
} from "../../domain/delegation/spawn-result.ts"
import { envelopeText, taskEnvelope, taskRefusal } from "../../domain/delegation/task/task-envelope.ts"
import type { ToolAnswer } from "../../domain/delegation/tool-answer.ts"
import { waitResult } from "../../domain/delegation/task/wait-result.ts"
import { isFinal } from "../../domain/run/is-final.ts"
import { recordOutcome, type RunOutcome } from "../../sessions/outcome/record-outcome.ts"
import type { SessionRow, Store } from "../../store/store.ts"
import type { AnswerDelegationInput, DelegationActivities } from "../contract/delegation-activities.ts"
import { archiveReported } from "../run/archive-reported.ts"
import { taskFactsOf, toolUse } from "./child-facts.ts"
import { writeDelegationAnswer } from "./write-delegation-answer.ts"
import { withEditNote } from "../../domain/approval/edit-note.ts"
import { loadCall } from "../tools/load-call.ts"

type AnsweringStore = Pick<
  Store,
  "callEdits" | "sessions" | "runs" | "messages" | "pauses" | "usage" | "events" | "transaction"
>

const taskAnswer = async (store: AnsweringStore, call: ToolCall, row: SessionRow): Promise<ToolAnswer> => {
  const facts = await taskFactsOf(store, row)
  const { toolCounts } = await toolUse(store, row, facts.runId ?? "")
  return taskEnvelope({
    sessionId: row.id,
    status: facts.status,
    stopReason: facts.stopReason,
    finalMessage: facts.result,
    error: facts.error,
    toolCounts,
    modelName: row.internal["model"] === "light" ? "light" : "main",
    subagentType: row.agent,
    timeMs: facts.durationMs ?? 0,
    cwd: row.cwd,
    paramsInput: call.arguments,
  })
}

const started = (call: ToolCall, row: SessionRow, runId: string, model: string): ToolAnswer => {
  const { warning } = row.internal
  const child = {
    sessionId: row.id,
    runId,
    childSessionKey: row.sessionKey,
    ...(typeof warning === "string" ? { warning } : {}),
  }
  if (call.name === "run_command_task") return commandStarted(child, { description: row.title ?? "" })
  if (call.name !== "sessions_spawn" && call.name !== "dynamic_subagent_task")
    return { text: sentText(row.id, runId, "started"), structured: child, isError: false }
  const asked = dynamicSubagentTaskInputSchema.safeParse(call.arguments)
  if (call.name !== "dynamic_subagent_task" || !asked.success) return spawnAccepted(child, "run")
  const { description, tools, enable_sandbox: sandboxed } = asked.data
  return taskStarted(child, { description, model, tools, sandboxed })
}

/** Returns the answer of each tool if its child could not be started. */
const refusal = (call: ToolCall, row: SessionRow, problem: string): ToolAnswer => {
  if (call.name === "Task")
    return taskRefusal({ code: "INTERNAL_ERROR", message: problem, cwd: row.cwd, paramsInput: call.arguments })
  const refused = { status: "error", error: problem } as const
  return call.name === "sessions_spawn" ? spawnRefused(refused) : taskStartRefused(refused)
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
  await recordOutcome(store, { ...outcome, sessionId: row.id, runId, stepsTaken: 0, session })
}

const answerOf = async (store: AnsweringStore, input: AnswerDelegationInput, call: ToolCall): Promise<ToolAnswer> => {
  const rows = (await Promise.all(input.childIds.map((id) => store.sessions.get(id)))).filter(
    (row) => row !== undefined,
  )
  const [first] = rows
  if (first === undefined) throw ApplicationFailure.nonRetryable("a child is not in the store", "storage_failed")
  if (input.refused !== undefined) {
    await endUnstartedRun(store, first, input.refused)
    return refusal(call, first, input.refused.problem)
  }
  if (call.name === "Task") return taskAnswer(store, call, first)
  if (input.isStart) {
    const run = await store.runs.latest(first.id)
    return started(call, first, run?.runId ?? "", first.model)
  }
  return waitResult(await Promise.all(rows.map((row) => taskFactsOf(store, row))), input.timedOut)
}

/** Creates the activity that writes the result of a call that started a child, or waited. */
export const createAnswerDelegation =
  (store: AnsweringStore & Pick<Store, "events">): DelegationActivities["answerDelegation"] =>
  async (input) => {
    const call = await loadCall(store, input)
    const answer = await answerOf(store, input, call)
    await writeDelegationAnswer(store, {
      scope: input,
      name: call.name,
      outcome: answer.isError ? "error" : "ok",
      content: withEditNote(input, call, call.name === "Task" ? envelopeText(answer) : answer.text),
    })
    if (!input.isStart) for (const childId of input.childIds) await archiveReported(store, childId)
  }
