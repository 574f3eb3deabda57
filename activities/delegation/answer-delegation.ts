import { ApplicationFailure } from "@temporalio/activity"
import { dynamicSubagentTaskInputSchema } from "../../contracts/delegation/tasks-input.ts"
import type { ToolCall } from "../../contracts/message.ts"
import { spawnAccepted, taskStarted } from "../../domain/delegation/spawn-result.ts"
import { taskEnvelope } from "../../domain/delegation/task/task-envelope.ts"
import type { ToolAnswer } from "../../domain/delegation/tool-answer.ts"
import { waitResult } from "../../domain/delegation/task/wait-result.ts"
import type { SessionRow, Store } from "../../store/store.ts"
import type { AnswerDelegationInput, DelegationActivities } from "../contract/delegation-activities.ts"
import { archiveReported } from "../run/archive-reported.ts"
import { taskFactsOf, toolUse } from "./child-facts.ts"
import { writeDelegationAnswer } from "./write-delegation-answer.ts"
import { loadCall } from "../tools/load-call.ts"

const taskAnswer = async (
  store: Pick<Store, "sessions" | "runs" | "messages" | "pauses" | "usage">,
  call: ToolCall,
  row: SessionRow,
): Promise<ToolAnswer> => {
  const facts = await taskFactsOf(store, row)
  const { toolCounts } = await toolUse(store, row, facts.runId ?? "")
  return taskEnvelope({
    status: facts.status,
    stopReason: facts.stopReason,
    finalMessage: facts.result,
    error: facts.error,
    toolCounts: toolCounts,
    modelName: row.metadata["model"] === "light" ? "light" : "main",
    subagentType: row.agent,
    timeMs: facts.durationMs ?? 0,
    cwd: row.cwd,
    paramsInput: call.arguments,
  })
}

const started = (call: ToolCall, row: SessionRow, runId: string, model: string): ToolAnswer => {
  const { warning } = row.metadata
  const child = {
    sessionId: row.id,
    runId,
    childSessionKey: row.sessionKey,
    ...(typeof warning === "string" ? { warning } : {}),
  }
  const asked = dynamicSubagentTaskInputSchema.safeParse(call.arguments)
  if (call.name !== "dynamic_subagent_task" || !asked.success) return spawnAccepted(child, "run")
  const { description, tools, enable_sandbox: sandboxed } = asked.data
  return taskStarted(child, { description, model, tools, sandboxed })
}

const answerOf = async (
  store: Pick<Store, "sessions" | "runs" | "messages" | "pauses" | "usage">,
  input: AnswerDelegationInput,
  call: ToolCall,
): Promise<ToolAnswer> => {
  const rows = (await Promise.all(input.childIds.map((id) => store.sessions.get(id)))).filter(
    (row) => row !== undefined,
  )
  const [first] = rows
  if (first === undefined) throw ApplicationFailure.nonRetryable("a child is not in the store", "storage_failed")
  if (call.name === "Task") return taskAnswer(store, call, first)
  if (input.isStart) {
    const run = await store.runs.latest(first.id)
    return started(call, first, run?.runId ?? "", first.model)
  }
  return waitResult(await Promise.all(rows.map((row) => taskFactsOf(store, row))), input.timedOut)
}

/** Writes the result of a call that started a child, or waited. */
export const createAnswerDelegation =
  (
    store: Pick<Store, "sessions" | "runs" | "messages" | "events" | "pauses" | "usage">,
  ): DelegationActivities["answerDelegation"] =>
  async (input) => {
    const call = await loadCall(store, input)
    const answer = await answerOf(store, input, call)
    await writeDelegationAnswer(store, {
      scope: input,
      name: call.name,
      outcome: answer.isError ? "error" : "ok",
      content: answer.text,
    })
    if (!input.isStart) for (const childId of input.childIds) await archiveReported(store, childId)
  }
