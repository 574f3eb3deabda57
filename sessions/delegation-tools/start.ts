import { taskInputSchema } from "../../contracts/delegation/task-input.ts"
import { sessionsSpawnInputSchema } from "../../contracts/delegation/sessions-input.ts"
import { dynamicSubagentTaskInputSchema, runCommandTaskInputSchema } from "../../contracts/delegation/tasks-input.ts"
import { refusedAnswer, startedAnswer, type StartingTool } from "../../domain/delegation/spawn-result.ts"
import { type TaskErrorCode, taskRefusal } from "../../domain/delegation/task/task-envelope.ts"
import type { ToolAnswer } from "../../domain/delegation/tool-answer.ts"
import type { SpawnCall } from "../spawn/spawn-request.ts"
import { envelopeOf } from "../view/task-report.ts"
import { defineTool, parseArguments, type ToolHandler } from "./define-tool.ts"
import { now, type Reply, type SubAgents } from "./sub-agents.ts"

const start = async <Later>(
  port: SubAgents<Later>,
  call: SpawnCall & { readonly tool: StartingTool },
): Promise<Reply<ToolAnswer, Later>> => {
  const outcome = await port.spawn(call)
  if (outcome.kind === "later") return outcome
  return now(
    outcome.value.kind === "refused"
      ? refusedAnswer(call.tool, outcome.value.refusal, port.surface)
      : startedAnswer(call.tool, outcome.value, port.surface),
  )
}

export const dynamicSubagentTask = defineTool(dynamicSubagentTaskInputSchema, (port, input) =>
  start(port, { tool: "dynamic_subagent_task", input }),
)

export const runCommandTask = defineTool(runCommandTaskInputSchema, (port, input) =>
  start(port, { tool: "run_command_task", input }),
)

export const sessionsSpawn = defineTool(sessionsSpawnInputSchema, (port, input) =>
  start(port, { tool: "sessions_spawn", input }),
)

/** Starts a sub-agent that only reads, and waits for its answer. Whatever happens, the answer is the envelope of this tool. */
export const task: ToolHandler = async (port, args) => {
  const refuse = (code: TaskErrorCode, message: string) =>
    now(taskRefusal({ code, message, cwd: port.cwd, paramsInput: args ?? {} }))
  const parsed = parseArguments(taskInputSchema, args)
  if (!parsed.ok) return refuse("INVALID_PARAM", parsed.problem)
  const outcome = await port.spawn({ tool: "Task", input: parsed.value, asSent: args })
  if (outcome.kind === "later") return outcome
  if (outcome.value.kind === "refused") return refuse("INTERNAL_ERROR", outcome.value.refusal.error)
  const result = await port.result(outcome.value.child.sessionId)
  return result.kind === "later" ? result : now(envelopeOf(result.value, { surface: port.surface }))
}
