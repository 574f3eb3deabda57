import { errorMessage } from "../../domain/text/error-message.ts"
import { startOf } from "../../domain/text/foreign/well-formed.ts"
import type { McpLogger } from "../mcp-context.ts"

const maxReasonChars = 300

const isBug = (error: unknown): boolean =>
  error instanceof TypeError || error instanceof ReferenceError || error instanceof RangeError

/**
 * Returns what logs the errors that the SDK reports about a connection. They are about what the client sent, or about how the connection broke off, so
 * that a stack would say nothing; only an error of the program itself is logged with one.
 */
export const reportConnection =
  (logger: McpLogger, message: string) =>
  (error: unknown): void => {
    if (isBug(error)) return logger.error({ err: error }, message)
    // The SDK's own check names every alternative of every field.
    const reason = error instanceof Error && error.name === "ZodError" ? "not a JSON-RPC message" : errorMessage(error)
    return logger.warn({ reason: startOf(reason, maxReasonChars) }, message)
  }
