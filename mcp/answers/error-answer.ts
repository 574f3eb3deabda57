import { isAdjutantError } from "../../contracts/adjutant-error.ts"
import { type DelegationErrorCode, errorResult } from "../../domain/delegation/error-result.ts"
import type { ToolAnswer } from "../../domain/delegation/tool-answer.ts"

/**
 * Returns expected failures as an error result with the tool's own code; a missing session gets `TASK_NOT_FOUND`. Other errors are bugs and are
 * thrown.
 */
export const orError = async (code: DelegationErrorCode, work: () => Promise<ToolAnswer>): Promise<ToolAnswer> => {
  try {
    return await work()
  } catch (error) {
    if (!isAdjutantError(error)) throw error
    return errorResult(error.code === "session_not_found" ? "TASK_NOT_FOUND" : code, error.message)
  }
}
