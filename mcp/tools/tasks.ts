import {
  cancelTaskInputSchema,
  getAllTasksInputSchema,
  getTaskDetailsInputSchema,
} from "../../contracts/delegation/tasks-input.ts"
import { taskDetails } from "../../domain/delegation/task/task-details.ts"
import { taskTable } from "../../domain/delegation/task/task-table.ts"
import { orError } from "../answers/error-answer.ts"
import { reachable, withTask } from "../find-session.ts"
import { answeringTool } from "../parse-arguments.ts"

const mostTasks = 200

export const getTaskDetailsTool = answeringTool(getTaskDetailsInputSchema, (context, _call, task) =>
  withTask(context, task, async (id) => taskDetails((await context.client.report(id)).facts)),
)

export const getAllTasksTool = answeringTool(getAllTasksInputSchema, async (context) => {
  const rows = await context.client.taskRows({ limit: mostTasks, ...reachable(context) })
  const note = rows.length < mostTasks ? "" : `\n\nOnly the newest ${mostTasks} are shown.`
  return {
    text: taskTable(rows) + note,
    structured: {
      tasks: rows.map((row) => ({
        task_id: row.id,
        status: row.status,
        description: row.description,
        started_at: row.startedAt,
        duration_ms: row.durationMs,
        steps_taken: row.stepsTaken,
      })),
    },
    isError: false,
  }
})

/** `cancel_task`: cancels a task. For a final task, returns its status and changes nothing. */
export const cancelTaskTool = answeringTool(cancelTaskInputSchema, (context, call, task) =>
  withTask(context, task, (id) =>
    orError("CANCEL_TASK_ERROR", async () => {
      const { status } = await context.client.cancel(id, call.actor)
      return { text: `Task ${id}: ${status}.`, structured: { task_id: id, status }, isError: false }
    }),
  ),
)
