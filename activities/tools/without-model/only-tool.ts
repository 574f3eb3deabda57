import type { CallFailure } from "../../../domain/run/tool-batch.ts"
import { startOf } from "../../../domain/text/foreign/well-formed.ts"
import type { Tool, ToolContext, ToolResult } from "../../../tools/tool.ts"

/** What the one call of a run comes to: the run's answer, or why the run fails, with what there was of an answer. */
export interface OnlyResult extends Pick<ToolResult, "content" | "question"> {
  readonly failure?: CallFailure
}

/** The one tool of a run without a model. It checks its arguments itself, since nobody else knows why the run fails if they do not fit. */
export interface OnlyTool extends Tool {
  execute(args: unknown, context: ToolContext): Promise<OnlyResult>
}

const maxMessage = 2_000

export const failed = (failure: {
  readonly code: string
  readonly message: string
  readonly stopReason?: "timeout"
  /** What there was of a result. */
  readonly partial?: string
}): OnlyResult => ({
  content: failure.partial ?? "",
  failure: {
    stopReason: failure.stopReason ?? "error",
    error: { code: failure.code, message: startOf(failure.message, maxMessage) },
  },
})
