import { errorResult } from "../../domain/delegation/error-result.ts"
import { taskRefusal } from "../../domain/delegation/task/task-envelope.ts"
import type { ToolAnswer } from "../../domain/delegation/tool-answer.ts"

/** A call needs the engine before it is ready. The message contains the progress so far and the command to run. */
export class EngineStarting extends Error {
  constructor(progress: string | undefined) {
    const soFar = progress === undefined ? "" : ` (${progress})`
    super(
      `the Temporal server is still being prepared${soFar}; call again in a minute, or run "adjutant doctor --prepare" in a terminal to watch it`,
    )
    this.name = "EngineStarting"
  }
}

/** Returns the error as a tool result; for `Task`, in its own envelope. */
export const startingResult = (
  tool: string,
  { message }: EngineStarting,
  call: { readonly args: unknown; readonly cwd: string },
): ToolAnswer =>
  tool === "Task"
    ? taskRefusal({ code: "INTERNAL_ERROR", message, cwd: call.cwd, paramsInput: call.args ?? {} })
    : errorResult("ENGINE_STARTING", message)
