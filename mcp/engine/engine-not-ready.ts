import type { AdjutantError } from "../../contracts/adjutant-error.ts"
import { errorResult } from "../../domain/delegation/error-result.ts"
import { taskRefusal } from "../../domain/delegation/task/task-envelope.ts"
import type { ToolAnswer } from "../../domain/delegation/tool-answer.ts"

/** `ENGINE_STARTING`: call again later. `ENGINE_UNAVAILABLE`: the start failed. */
export type EngineErrorCode = "ENGINE_STARTING" | "ENGINE_UNAVAILABLE"

/** A call needs the engine before it is ready. The message contains the progress so far and the command to run. */
export class EngineNotReady extends Error {
  readonly code: EngineErrorCode

  constructor(code: EngineErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = "EngineNotReady"
    this.code = code
  }
}

const prepare = '"adjutant doctor --prepare"'

export const engineStarting = (progress: string | undefined): EngineNotReady =>
  new EngineNotReady(
    "ENGINE_STARTING",
    `the Temporal server is still being prepared${progress === undefined ? "" : ` (${progress})`}; call again in a minute, or run ${prepare} in a terminal to watch it`,
  )

/** Returns the error of a failed start. It suggests preparing the server only if the server is missing; any other cause says itself what to do. */
export const engineUnavailable = (cause: AdjutantError): EngineNotReady =>
  new EngineNotReady(
    "ENGINE_UNAVAILABLE",
    cause.code === "temporal_unavailable"
      ? `the Temporal server could not be started: ${cause.message.replace(/\.$/, "")}; run ${prepare} in a terminal, then call again`
      : cause.message,
    { cause },
  )

/** Returns the error as a tool result; for `Task`, in its own envelope. */
export const notReadyResult = (
  tool: string,
  { code, message }: EngineNotReady,
  call: { readonly args: unknown; readonly cwd: string },
): ToolAnswer =>
  tool === "Task"
    ? taskRefusal({ code: "INTERNAL_ERROR", message, cwd: call.cwd, paramsInput: call.args ?? {} })
    : errorResult(code, message)
