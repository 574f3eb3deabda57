import { type Client, SdkError, SdkErrorCode } from "@modelcontextprotocol/client"
import { errorMessage } from "../../domain/text/error-message.ts"
import { createTransport, type McpServerSettings } from "../transport/create-transport.ts"
import { missingScope } from "./login-command.ts"
import { McpUnavailable } from "../transport/mcp-unavailable.ts"
import { createLenientReader, type UnusableTool } from "../transport/lenient-results.ts"
import { type OpenedClient, withStderr } from "./shared-client.ts"

interface Opening {
  readonly settings: McpServerSettings
  readonly timeoutMs: number
  readonly createClient: () => Client
  readonly onUnusable: (tool: UnusableTool) => void
  /** Returns the error of an attempt that failed. */
  readonly failed: (problem: string) => Error
}

const isFailedNegotiation = (error: unknown): boolean =>
  SdkError.isInstance(error) && error.code === SdkErrorCode.EraNegotiationFailed

/** Returns a function that connects to a server. A program is started once for each connection, and asked for its version once in all. */
export const createOpening = ({ settings, timeoutMs, createClient, onUnusable, failed }: Opening) => {
  // Whether an earlier connection showed that the server speaks an older version only.
  let isOlder = false

  const openOnce = async (
    signal: AbortSignal,
  ): Promise<OpenedClient | { readonly problem: string; readonly error: unknown }> => {
    const { transport, lastStderr } = createTransport(settings, createLenientReader(onUnusable))
    const client = createClient()
    try {
      const prior = isOlder ? ({ kind: "legacy" } as const) : undefined
      await client.connect(transport, { timeout: timeoutMs, signal, prior })
      isOlder = client.getProtocolEra() === "legacy"
      return { client, lastStderr }
    } catch (cause) {
      const missing = missingScope(cause, settings.name)
      const error = missing === undefined ? cause : new McpUnavailable(missing, { cause })
      await client.close().catch(() => undefined)
      await transport.close().catch(() => undefined)
      return { problem: withStderr(errorMessage(error), lastStderr()), error }
    }
  }

  return async (signal: AbortSignal): Promise<OpenedClient> => {
    let opened = await openOnce(signal)
    if ("problem" in opened && !isOlder && "command" in settings.config && isFailedNegotiation(opened.error)) {
      // Some older programs end when they are asked for a version that they do not know.
      isOlder = true
      opened = await openOnce(signal)
    }
    if (!("problem" in opened)) return opened
    isOlder = false
    // A login that is missing or does not suffice: the server itself has not failed, and the next attempt need not wait.
    if (opened.error instanceof McpUnavailable) throw opened.error
    throw failed(opened.problem)
  }
}
