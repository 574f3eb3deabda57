import { toolAnswerOf, type ToolAnswer } from "./tool-answer.ts"

export type DelegationErrorCode =
  | "VALIDATION_ERROR"
  | "TASK_NOT_FOUND"
  | "RESUME_TASK_ERROR"
  | "TASK_START_FAILED"
  | "CANCEL_TASK_ERROR"
  | "AWAIT_TASKS_ERROR"

/** Returns an error as a tool result: `CODE: message`. */
export const errorResult = (code: string, message: string, next?: string): ToolAnswer =>
  toolAnswerOf({ text: `${code}: ${message}`, data: { error: { code, message } }, next, isError: true })
