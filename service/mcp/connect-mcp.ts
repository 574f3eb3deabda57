import type { Duplex } from "node:stream"
import { AdjutantError } from "../../contracts/adjutant-error.ts"
import { isErrorCode } from "../../contracts/error-code.ts"
import {
  type McpHello,
  mcpProtocol,
  type McpWelcome,
  mcpWelcomeSchema,
} from "../../contracts/service/mcp-connection.ts"
import { commandHeader } from "../../contracts/service/tree-registration.ts"
import { splitLines } from "../../mcp/transport/split-lines.ts"

/** A connection to the MCP server of a service. */
export interface McpConnection extends Extract<McpWelcome, { readonly repeatable: readonly string[] }> {
  /** Sends a line, with its end. */
  send(line: string): void
  /** The service's messages; they end when the connection does. */
  readonly lines: AsyncIterable<Buffer>
  end(): void
}

// As in `over-socket.ts`, an import would load more than is used.
const { request } = process.getBuiltinModule("node:http")

/** Returns the connection on a socket after it has changed its protocol. Rejects if nothing listens there. */
const upgrade = (socketPath: string, command: string): Promise<Duplex> =>
  new Promise((resolve, reject) => {
    const headers = { connection: "Upgrade", upgrade: mcpProtocol, [commandHeader]: command }
    request({ socketPath, path: "/service/mcp", headers })
      .once("upgrade", (_response, stream, head) => {
        if (head.length > 0) stream.unshift(head)
        resolve(stream)
      })
      .once("response", (response) => {
        response.resume()
        reject(new Error(`the service answered ${response.statusCode}`))
      })
      .once("error", reject)
      .end()
  })

/**
 * Connects to the service that listens on a socket. `command`: the id of the command that connects.
 * @throws AdjutantError if the service refuses the client; another error if no service answers there
 */
export const connectMcp = async (socketPath: string, hello: McpHello, command: string): Promise<McpConnection> => {
  const stream = await upgrade(socketPath, command)
  stream.on("error", () => undefined)
  const lines = splitLines(stream)
  stream.write(`${JSON.stringify(hello)}\n`)
  const { done, value } = await lines.next()
  if (done === true) throw new Error("the service closed the connection")
  const welcome = mcpWelcomeSchema.parse(JSON.parse(value.toString("utf8")))
  if ("code" in welcome)
    throw new AdjutantError(isErrorCode(welcome.code) ? welcome.code : "invalid_config", welcome.error)
  return {
    ...welcome,
    send: (line) => void stream.write(line),
    lines,
    end: () => void stream.end(),
  }
}
