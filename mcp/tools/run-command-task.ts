import { isAdjutantError } from "../../contracts/adjutant-error.ts"
import { runCommandTaskInputSchema } from "../../contracts/delegation/tasks-input.ts"
import { errorResult } from "../../domain/delegation/error-result.ts"
import { commandStarted, taskStartRefused } from "../../domain/delegation/spawn-result.ts"
import { titleOfInstruction } from "../../domain/text/title-of.ts"
import { answered } from "../mcp-context.ts"
import { toolOf } from "../parse-arguments.ts"

/** `run_command_task`: starts a command as a task and returns without waiting. */
export const runCommandTaskTool = toolOf(
  runCommandTaskInputSchema,
  async ({ client, caller, cwd, redact }, call, input) => {
    try {
      const request = { call: { tool: "run_command_task", input }, caller, cwd, actor: call.actor } as const
      const outcome = await client.spawn(request)
      if (outcome.kind === "refused") return answered(taskStartRefused(outcome.refusal))
      if (call.wantsTask) return { kind: "task", sessionId: outcome.child.sessionId }
      const description = input.description ?? titleOfInstruction(input.command, redact) ?? "command"
      return answered(commandStarted(outcome.child, { description }))
    } catch (error) {
      if (!isAdjutantError(error)) throw error
      return answered(errorResult("TASK_START_FAILED", error.message))
    }
  },
)
