import type { ToolAnswer } from "./tool-answer.ts"

export type DelegationErrorCode =
  | "VALIDATION_ERROR"
  | "TASK_NOT_FOUND"
  | "RESUME_TASK_ERROR"
  | "TASK_START_FAILED"
  | "CANCEL_TASK_ERROR"
  | "AWAIT_TASKS_ERROR"

/** Returns an error as a tool result: `CODE: message`. */
export const errorResult = (code: string, message: string): ToolAnswer => ({
  text: `${code}: ${message}`,
  structured: { error: { code, message } },
  isError: true,
})

export const taskNotFound = (taskId: string): ToolAnswer =>
  errorResult(
    "TASK_NOT_FOUND" satisfies DelegationErrorCode,
    `there is no task ${JSON.stringify(taskId.slice(0, 100))}: call get_all_tasks to list the tasks`,
  )
