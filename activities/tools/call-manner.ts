import type { MediaReference } from "../../contracts/message.ts"
import type { CallFailure } from "../../domain/calls/tool-batch.ts"
import type { Tool, ToolContext, ToolQuestion, ToolResult } from "../../tools/tool.ts"
import type { DescribedResult } from "./additions/store-media.ts"
import type { CodedReason } from "../approval/audit-refusal.ts"
import type { CallEnd, OnceCall } from "./run-once.ts"

export interface ToolExtra {
  readonly executed: boolean
  readonly media?: MediaReference[]
  /** Images and PDF files that are stored with the row. */
  readonly found?: DescribedResult["media"]
  readonly touched?: ToolResult["touched"]
  /** Why the run fails; only of the one call of a run without a model. */
  readonly failure?: CallFailure
}

export type ToolEnd = CallEnd<ToolExtra>

/** What a tool returns. `failure`: why the run fails whose one call it is; `content` is then what there was of an answer. */
export interface CallResult extends ToolResult {
  readonly failure?: CallFailure
}

export interface CallTool extends Tool {
  execute(input: unknown, context: ToolContext): Promise<CallResult>
}

/** A tool that a run cannot call on this worker, and why. `code`: of the run's error, if it has no model. */
export interface MissingTool {
  readonly problem: string
  readonly code?: string
}

/** What becomes of the result of a call: a model reads it, or it is the end of a run without one. */
export interface CallManner extends Pick<OnceCall<ToolExtra>, "idempotent" | "toRow" | "fromRow" | "unknown"> {
  readonly tool: CallTool | MissingTool
  /** The end of a call that the gate refuses. `code`: of the run's error. */
  refused(why: CodedReason): ToolEnd
  /** The end of a call whose arguments the tool does not take. */
  misfit(problem: string): ToolEnd
  returned(result: CallResult, context: ToolContext): Promise<ToolEnd | { readonly question: ToolQuestion }>
  /** The end of a call that threw: it was aborted, or something went wrong that the tool did not expect. */
  thrown(error: unknown, signal: AbortSignal): ToolEnd
}
