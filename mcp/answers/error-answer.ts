import { isAdjutantError } from "../../contracts/adjutant-error.ts"
import { type DelegationErrorCode, errorResult } from "../../domain/delegation/error-result.ts"
import type { ToolAnswer } from "../../domain/delegation/tool-answer.ts"

/** Expected failures become data under the tool's own code; a session that is not there keeps its own. Others are bugs. */
export const orError = async (code: DelegationErrorCode, work: () => Promise<ToolAnswer>): Promise<ToolAnswer> => {
  try {
    return await work()
  } catch (error) {
    if (!isAdjutantError(error)) throw error
    return errorResult(error.code === "session_not_found" ? "TASK_NOT_FOUND" : code, error.message)
  }
}
