import { taskInputSchema } from "../../contracts/delegation/task-input.ts"
import { sessionsSpawnInputSchema } from "../../contracts/delegation/sessions-input.ts"
import { dynamicSubagentTaskInputSchema, runCommandTaskInputSchema } from "../../contracts/delegation/tasks-input.ts"
import { refusedSpawnAnswer, startedAnswer, type StartingTool } from "../../domain/delegation/spawn-result.ts"
import { type TaskErrorCode, taskRefusal } from "../../domain/delegation/task/task-envelope.ts"
import type { ToolAnswer } from "../../domain/delegation/tool-answer.ts"
import type { SpawnCall } from "../spawn/spawn-request.ts"
import { envelopeOf } from "../view/task-report.ts"
import { defineDelegationTool, parseArguments, type ToolHandler } from "./define-tool.ts"
import { replyNow, type Reply, type SubAgents } from "./sub-agents.ts"

const start = async <Later>(
  port: SubAgents<Later>,
  call: SpawnCall & { readonly tool: StartingTool },
): Promise<Reply<ToolAnswer, Later>> => {
  const outcome = await port.spawn(call)
  if (outcome.kind === "later") return outcome
  return replyNow(
    outcome.value.kind === "refused"
      ? refusedSpawnAnswer(call.tool, outcome.value.refusal, port.surface)
      : startedAnswer(call.tool, outcome.value, port.surface),
  )
}

export const dynamicSubagentTask = defineDelegationTool(dynamicSubagentTaskInputSchema, (port, input) =>
  start(port, { tool: "dynamic_subagent_task", input }),
)

export const runCommandTask = defineDelegationTool(runCommandTaskInputSchema, (port, input) =>
  start(port, { tool: "run_command_task", input }),
)

export const sessionsSpawn = defineDelegationTool(sessionsSpawnInputSchema, (port, input) =>
  start(port, { tool: "sessions_spawn", input }),
)

/** Starts a sub-agent that only reads, and waits for its answer. Whatever happens, the answer is the envelope of this tool. */
export const task: ToolHandler = async (port, args) => {
  const refuse = (code: TaskErrorCode, message: string) =>
    replyNow(taskRefusal({ code, message, cwd: port.cwd, paramsInput: args ?? {} }))
  const parsed = parseArguments(taskInputSchema, args)
  if (!parsed.ok) return refuse("INVALID_PARAM", parsed.problem)
  const outcome = await port.spawn({ tool: "Task", input: parsed.value, asSent: args })
  if (outcome.kind === "later") return outcome
  if (outcome.value.kind === "refused") return refuse("INTERNAL_ERROR", outcome.value.refusal.error)
  const result = await port.result(outcome.value.child.sessionId)
  return result.kind === "later" ? result : replyNow(envelopeOf(result.value, { surface: port.surface }))
}
