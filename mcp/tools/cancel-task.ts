import { cancelTaskInputSchema } from "../../contracts/delegation/tasks-input.ts"
import { taskNotFound } from "../../domain/delegation/error-result.ts"
import { orError } from "../answers/error-answer.ts"
import { findTask } from "../find-session.ts"
import { answered, type ToolHandler } from "../mcp-context.ts"
import { invalidArguments, parseArguments } from "../parse-arguments.ts"

/** `cancel_task`: of a final task it answers the status and changes nothing. */
export const cancelTaskTool: ToolHandler = async (context, call) => {
  const parsed = parseArguments(cancelTaskInputSchema, call.args)
  if (!parsed.ok) return answered(invalidArguments(parsed.problem))
  const id = await findTask(context, parsed.value.task_id)
  if (id === undefined) return answered(taskNotFound(parsed.value.task_id))
  return answered(
    await orError("CANCEL_TASK_ERROR", async () => {
      const { status } = await context.client.cancel(id, call.actor)
      return { text: `Task ${id}: ${status}.`, structured: { task_id: id, status }, isError: false }
    }),
  )
}
