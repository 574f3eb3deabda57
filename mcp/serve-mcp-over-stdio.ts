import { Readable, Writable } from "node:stream"
import type { JSONRPCMessage, MessageExtraInfo, Transport } from "@modelcontextprotocol/server"
import { serveStdio, StdioServerTransport } from "@modelcontextprotocol/server/stdio"
import { screenMessages } from "../domain/text/foreign/screen-messages.ts"
import { createMcpServer } from "./create-mcp-server.ts"
import type { McpServerOptions } from "./mcp-context.ts"
import { withoutInvalid } from "./transport/answer-invalid.ts"
import { reportConnection } from "./transport/report-connection.ts"

/** The streams of messages in both directions, one JSON document per line. */
export interface MessageStreams {
  readonly input: AsyncIterable<Uint8Array | string>
  write(text: string): unknown
}

export interface StdioService {
  /** Resolves when the connection has ended: the client has closed its end, or has sent a message larger than the SDK accepts (10 MiB). */
  readonly ended: Promise<void>
  close(): Promise<void>
}

const lineWriter = ({ write }: Pick<MessageStreams, "write">): Writable =>
  new Writable({
    decodeStrings: false,
    write(chunk: string | Buffer, _encoding, done) {
      write(typeof chunk === "string" ? chunk : chunk.toString("utf8"))
      done()
    },
  })

/**
 * Returns a transport that passes on only messages that are not nested too deep, as the parser of HTTP bodies does. `closed` is called when it has
 * closed, for whatever reason.
 */
const screened = (inner: Transport, closed: () => void): Transport => {
  const outer: Transport = {
    start: () => inner.start(),
    send: (message, options) => inner.send(message, options),
    close: () => inner.close(),
  }
  const report = (error: Error): void => outer.onerror?.(error)
  Object.assign<Transport, Partial<Transport>>(inner, {
    onclose: () => {
      closed()
      outer.onclose?.()
    },
    onerror: report,
    onmessage: screenMessages<JSONRPCMessage, MessageExtraInfo>({
      receive: (message, extra) => outer.onmessage?.(message, extra),
      refuse: (answer) => void inner.send(answer).catch(report),
      report,
    }),
  })
  return outer
}

/** Serves one client of any protocol revision. Calls in flight are cancelled when it disconnects; their sessions continue. */
export const serveMcpOverStdio = (options: McpServerOptions, streams: MessageStreams): StdioService => {
  const input = Readable.from(withoutInvalid(streams.input, streams.write), { objectMode: false })
  const output = lineWriter(streams)
  const ended = Promise.withResolvers<void>()
  const handle = serveStdio(() => createMcpServer(options), {
    transport: screened(new StdioServerTransport(input, output), ended.resolve),
    onerror: reportConnection(options.logger, "a problem on the MCP connection"),
  })
  return { ended: ended.promise, close: () => handle.close() }
}
