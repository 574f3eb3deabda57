import { once } from "node:events"
import { Readable, Writable } from "node:stream"
import { serveStdio, StdioServerTransport } from "@modelcontextprotocol/server/stdio"
import { createMcpServer } from "../create-mcp-server.ts"
import type { McpServerOptions } from "../mcp-context.ts"

/** The streams of messages in both directions, one JSON document per line. */
export interface MessageStreams {
  readonly input: AsyncIterable<Uint8Array | string>
  write(text: string): unknown
}

export interface StdioService {
  /** Resolves when the client has closed its end. */
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

/** Serves one client of any protocol revision. Calls in flight are cancelled when it disconnects; their sessions continue. */
export const serveMcpOverStdio = (options: McpServerOptions, streams: MessageStreams): StdioService => {
  const input = Readable.from(streams.input, { objectMode: false })
  const output = lineWriter(streams)
  const ended = Promise.race([once(input, "end"), once(input, "close")]).then(
    () => undefined,
    () => undefined,
  )
  const handle = serveStdio(() => createMcpServer(options), {
    transport: new StdioServerTransport(input, output),
    onerror: (error) => options.logger.error({ err: error }, "an error on the MCP connection"),
  })
  return { ended, close: () => handle.close() }
}
