import { isAdjutantError } from "../../contracts/adjutant-error.ts"
import { dynamicSubagentTaskInputSchema } from "../../contracts/delegation/tasks-input.ts"
import { errorResult } from "../../domain/delegation/error-result.ts"
import { taskStarted, taskStartRefused } from "../../domain/delegation/spawn-result.ts"
import { answered } from "../mcp-context.ts"
import { toolOf } from "../parse-arguments.ts"

/** `dynamic_subagent_task`: starts a task and returns without waiting. */
export const dynamicSubagentTaskTool = toolOf(
  dynamicSubagentTaskInputSchema,
  async ({ client, caller, cwd }, call, input) => {
    try {
      const outcome = await client.spawn({
        call: { tool: "dynamic_subagent_task", input },
        caller,
        cwd,
        actor: call.actor,
      })
      if (outcome.kind === "refused") return answered(taskStartRefused(outcome.refusal))
      if (call.wantsTask) return { kind: "task", sessionId: outcome.child.sessionId }
      return answered(taskStarted(outcome.child, { ...outcome, description: input.description }))
    } catch (error) {
      if (!isAdjutantError(error)) throw error
      const isArgument = error.code === "tool_not_found" || error.code === "invalid_argument"
      return answered(errorResult(isArgument ? "VALIDATION_ERROR" : "TASK_START_FAILED", error.message))
    }
  },
)
