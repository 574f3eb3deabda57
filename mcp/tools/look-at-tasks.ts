import { getAllTasksInputSchema, getTaskDetailsInputSchema } from "../../contracts/delegation/tasks-input.ts"
import { taskNotFound } from "../../domain/delegation/error-result.ts"
import { taskDetails } from "../../domain/delegation/task/task-details.ts"
import { taskTable } from "../../domain/delegation/task/task-table.ts"
import { findTask } from "../find-session.ts"
import { answered, type ToolHandler } from "../mcp-context.ts"
import { invalidArguments, parseArguments } from "../parse-arguments.ts"

const mostTasks = 200

export const getTaskDetailsTool: ToolHandler = async (context, call) => {
  const parsed = parseArguments(getTaskDetailsInputSchema, call.args)
  if (!parsed.ok) return answered(invalidArguments(parsed.problem))
  const id = await findTask(context, parsed.value.task_id)
  if (id === undefined) return answered(taskNotFound(parsed.value.task_id))
  return answered(taskDetails((await context.client.report(id)).facts))
}

export const getAllTasksTool: ToolHandler = async ({ client }, call) => {
  const parsed = parseArguments(getAllTasksInputSchema, call.args)
  if (!parsed.ok) return answered(invalidArguments(parsed.problem))
  const rows = await client.taskRows(mostTasks)
  const note = rows.length < mostTasks ? "" : `\n\nOnly the newest ${mostTasks} are shown.`
  return answered({
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
  })
}
