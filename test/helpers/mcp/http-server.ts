import { createServer } from "node:http"
import { toNodeHandler } from "@modelcontextprotocol/node"
import { createMcpHandler } from "@modelcontextprotocol/server"
import { createTestServer } from "./test-server.ts"

export interface TestHttpServer {
  readonly url: string
  /** Authorization headers as they arrived. */
  readonly authorizations: readonly (string | undefined)[]
  /** Values of the header by which a server knows that its client is an agent. */
  readonly inRun: readonly (string | string[] | undefined)[]
  close(): Promise<void>
}

/** Starts the test server behind Streamable HTTP on a free port. */
export const startHttpServer = async (log?: string): Promise<TestHttpServer> => {
  const authorizations: (string | undefined)[] = []
  const inRun: (string | string[] | undefined)[] = []
  const handle = toNodeHandler(createMcpHandler(() => createTestServer(log)))
  const server = createServer((request, response) => {
    authorizations.push(request.headers.authorization)
    inRun.push(request.headers["adjutant-in-run"])
    void handle(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const address = server.address()
  if (address === null || typeof address === "string") throw new Error("the server has no port")
  return {
    url: `http://127.0.0.1:${address.port}/mcp`,
    authorizations,
    inRun,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
