import path from "node:path"
import type { HttpServerOptions } from "../../http/http-options.ts"
import type { ServedHttp } from "../run-service.ts"
import { localApiToken } from "../../config/data-dir/api-token.ts"
import { openedEngine } from "../../mcp/engine-access.ts"
import { toolsetNames } from "../../contracts/service/mcp-connection.ts"
import { packageRoot } from "../../config/package-root.ts"
import { packageVersion } from "../../worker/package-version.ts"
import type { OpenedHost } from "./opened-host.ts"

export type ListenRequest = Pick<HttpServerOptions, "host" | "port" | "onlyLocally">

const lookAtNoticesMs = 5_000

/** Looks from time to time what people answered to messages, until it is stopped. */
const keepNotices = ({ client: { notices }, loaded, logger }: Pick<OpenedHost, "client" | "loaded" | "logger">) => {
  const problems: string[] = []
  if (Object.keys(loaded.config.notify).length === 0) return { problems, stop: () => Promise.resolve() }
  // The start does not wait for services of others.
  let looking = notices.examine().then((found) => {
    problems.push(...found)
    for (const problem of found) logger.warn(`${problem}: run "adjutant doctor"`)
  })
  let isBusy = false
  const timer = setInterval(() => {
    if (isBusy) return
    isBusy = true
    looking = notices
      .look()
      // An outage of the store or the engine is logged by others, and passes.
      .catch(() => undefined)
      .finally(() => {
        isBusy = false
      })
  }, lookAtNoticesMs)
  const stop = async (): Promise<void> => {
    clearInterval(timer)
    await looking
  }
  return { problems, stop }
}

/** Starts the HTTP server with its MCP endpoint; closing the host closes both. */
export const serveHttp = async (
  { env, loaded, closers, logger, redact, server, store, client }: OpenedHost,
  listen: ListenRequest,
): Promise<ServedHttp> => {
  const { createHttpServer } = await import("../../http/create-http-server.ts")
  const { createMcpHttpEndpoint } = await import("../../mcp/http-endpoint.ts")
  const mcp = createMcpHttpEndpoint({
    engine: openedEngine({ client, store }),
    loaded,
    toolsets: toolsetNames,
    logger,
    redact,
    version: packageVersion(),
  })
  const http = await createHttpServer({
    client,
    store,
    loaded,
    env,
    logger,
    localToken: () => localApiToken(loaded.dataDir),
    temporalUiUrl: server.uiUrl,
    mcp,
    webRoot: path.join(packageRoot(), "web/dist"),
    ...listen,
  })
  const kept = keepNotices({ client, loaded, logger })
  closers.add(() => mcp.close())
  closers.add(kept.stop)
  closers.add(() => http.close())
  const url = listen.onlyLocally === true ? undefined : await http.listen()
  const { answerLocally, pageLink, close } = http
  return { url, answerLocally, pageLink, problems: () => kept.problems, close }
}
