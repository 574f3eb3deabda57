import { createHttpServer, type HttpServer } from "../../../http/create-http-server.ts"
import type { HttpServerOptions } from "../../../http/http-options.ts"
import { openedEngine } from "../../../mcp/engine-access.ts"
import { createMcpHttpEndpoint } from "../../../mcp/http-endpoint.ts"
import { toolsetNames } from "../../../contracts/service/mcp-connection.ts"
import { type Harness, type HarnessOptions, openHarness } from "../engine/workflow-harness.ts"

export interface HttpAnswer {
  readonly status: number
  readonly body: any // oxlint-disable-line typescript/no-explicit-any -- tests look at answers of any shape
}

/** Opens a harness with the HTTP server in front of it, `/mcp` included, on its own port. */
export interface HttpHarness extends Harness {
  readonly server: HttpServer
  readonly url: string
  get(path: string, headers?: Readonly<Record<string, string>>): Promise<HttpAnswer>
  post(path: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<HttpAnswer>
  /** Creates a session and sends its first message. */
  begin(message: Readonly<Record<string, unknown>>): Promise<string>
}

export const openHttpHarness = async (
  options: HarnessOptions,
  http: Partial<Pick<HttpServerOptions, "env" | "limits" | "mcp">> = {},
): Promise<HttpHarness> => {
  const harness = await openHarness(options)
  const silent = () => undefined
  const logger = {
    warn: silent,
    error: (details: unknown, message: string) => console.error(message, details),
  }
  const { client, store, loaded } = harness
  const mcp = createMcpHttpEndpoint({ engine: openedEngine({ client, store }), loaded, toolsets: toolsetNames, logger })
  const server = await createHttpServer({
    client,
    store,
    loaded,
    env: {},
    logger,
    localToken: "none",
    port: 0,
    mcp,
    ...http,
  })
  const url = await server.listen()
  const answerOf = async (response: Response): Promise<HttpAnswer> => {
    const text = await response.text()
    return { status: response.status, body: text === "" ? undefined : JSON.parse(text) }
  }
  const get = async (path: string, headers: Readonly<Record<string, string>> = {}) =>
    answerOf(await fetch(url + path, { headers }))
  const post = async (path: string, body?: unknown, headers: Readonly<Record<string, string>> = {}) =>
    answerOf(
      await fetch(url + path, {
        method: "POST",
        headers: { ...(body === undefined ? {} : { "content-type": "application/json" }), ...headers },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }),
    )
  return {
    ...harness,
    server,
    url,
    get,
    post,
    begin: async (message) => {
      const created = await post("/v1/sessions", { cwd: harness.cwd })
      const sent = await post(`/v1/sessions/${created.body.id}/messages`, message)
      if (sent.status !== 202) throw new Error(`not sent: ${JSON.stringify(sent.body)}`)
      return created.body.id
    },
    close: async () => {
      await mcp.close()
      await server.close()
      // Sessions that never ran, and forks without a message, have no history to replay.
      const { items } = await harness.store.sessions.list({ limit: 10_000, includeArchived: true })
      for (const { id } of items)
        await harness
          .handle(id)
          .describe()
          .catch(() => harness.store.sessions.remove(id))
      await harness.close()
    },
  }
}
