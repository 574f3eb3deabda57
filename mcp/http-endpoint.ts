import { type AuthInfo, createMcpHandler, type McpServer } from "@modelcontextprotocol/server"
import { defaultWorkspace, workspacesOf } from "../config/workspaces.ts"
import { httpCallerId } from "../domain/caller/caller-id.ts"
import { createMcpServer } from "./create-mcp-server.ts"
import type { McpServerOptions } from "./mcp-context.ts"
import { reportConnection } from "./transport/report-connection.ts"

/** Who sent the request, and what they may do. */
export interface HttpCaller {
  readonly name: string
  readonly mayRun: boolean
  readonly mayApprove: boolean
  /** Whether the caller may use directories outside `http.workspaces`. */
  readonly mayUseAnyDirectory: boolean
  /** Whether the caller reaches sessions that it did not start. */
  readonly reachesAllSessions: boolean
}

export interface McpHttpEndpoint {
  /** Answers one request whose body has already been read. Aborting the request ends its wait; sessions continue. */
  serve(request: Request, call: { readonly body: unknown; readonly caller: HttpCaller }): Promise<Response>
  close(): Promise<void>
}

const runScope = "run"
const approveScope = "approve"
const leaveScope = "leave"
const allScope = "all"

/**
 * Serves MCP servers over Streamable HTTP, for clients of every protocol revision. Each request gets its own server, so that any process of the
 * store can answer any request, and no state depends on a connection.
 */
export const serveMcpOverHttp = (
  createServer: (authInfo: AuthInfo) => McpServer,
  onError: (error: unknown) => void,
): McpHttpEndpoint => {
  const handler = createMcpHandler(
    ({ authInfo }) => {
      if (authInfo === undefined) throw new Error("an HTTP request has no caller")
      return createServer(authInfo)
    },
    { onerror: onError },
  )
  return {
    serve: (request, { body, caller }) => {
      const scopes = [
        ...(caller.mayRun ? [runScope] : []),
        ...(caller.mayApprove ? [approveScope] : []),
        ...(caller.mayUseAnyDirectory ? [leaveScope] : []),
        ...(caller.reachesAllSessions ? [allScope] : []),
      ]
      // The token has been checked already and is no longer needed.
      const authInfo = { token: "", clientId: caller.name, scopes }
      return handler.fetch(request, { parsedBody: body, authInfo })
    },
    close: () => handler.close(),
  }
}

/** Creates the endpoint of Adjutant's own MCP server. What a server offers depends on the caller's scopes. */
export const createMcpHttpEndpoint = (
  options: Omit<
    McpServerOptions,
    "caller" | "allSessions" | "actorName" | "noApprove" | "readOnly" | "cwd" | "directories"
  >,
): McpHttpEndpoint =>
  serveMcpOverHttp(
    ({ clientId, scopes }) =>
      createMcpServer({
        ...options,
        caller: httpCallerId(clientId),
        allSessions: scopes.includes(allScope),
        actorName: clientId,
        noApprove: !scopes.includes(approveScope),
        readOnly: !scopes.includes(runScope),
        cwd: defaultWorkspace(options.loaded),
        directories: scopes.includes(leaveScope) ? "any" : workspacesOf(options.loaded),
      }),
    reportConnection(options.logger, "an MCP request over HTTP was refused"),
  )
