import { cancelTaskInputSchema } from "../../contracts/delegation/tasks-input.ts"
import { orError } from "../answers/error-answer.ts"
import { withTask } from "../find-session.ts"
import { answeringTool } from "../parse-arguments.ts"

/** `cancel_task`: of a final task it answers the status and changes nothing. */
export const cancelTaskTool = answeringTool(cancelTaskInputSchema, (context, call, { task_id: taskId }) =>
  withTask(context, taskId, (id) =>
    orError("CANCEL_TASK_ERROR", async () => {
      const { status } = await context.client.cancel(id, call.actor)
      return { text: `Task ${id}: ${status}.`, structured: { task_id: id, status }, isError: false }
    }),
  ),
)
