import type { MediaReference, ToolCall } from "../../contracts/message.ts"
import type { CallFailure } from "../../domain/run/tool-batch.ts"
import type { Tool, ToolContext, ToolQuestion } from "../../tools/tool.ts"
import type { DescribedResult } from "./additions/store-media.ts"
import type { CallEnd, OnceCall } from "./run-once.ts"

export interface ToolExtra {
  readonly executed: boolean
  readonly media?: MediaReference[]
  /** Images and PDF files that are stored with the row. */
  readonly found?: DescribedResult["media"]
  /** Why the run fails; only of the one call of a run without a model. */
  readonly failure?: CallFailure
}

export type ToolEnd = CallEnd<ToolExtra>

/** A call with its tool, as it is executed. */
export interface ToolJob {
  readonly tool: Tool
  readonly call: ToolCall
  readonly context: ToolContext
}

/** A tool that a run cannot call on this worker, and why. `code`: of the run's error, if it has no model. */
export interface MissingTool {
  readonly problem: string
  readonly code?: string
}

/** For whom a call is executed: for a model, which reads its result, or as the one call of a run, whose end it is. */
export interface CallManner extends Pick<OnceCall<ToolExtra>, "idempotent" | "toRow" | "fromRow" | "unknown"> {
  readonly tool: Tool | MissingTool
  /** The end of a call that the gate refuses. `code`: of the run's error. */
  refused(why: { readonly code: string; readonly text: string }): ToolEnd
  /** Never rejects for what is expected. */
  execute(job: ToolJob): Promise<ToolEnd | { readonly question: ToolQuestion }>
}
