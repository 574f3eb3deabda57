import { createMcpHandler } from "@modelcontextprotocol/server"
import { defaultWorkspace, workspacesOf } from "../../config/workspaces.ts"
import { createMcpServer } from "../create-mcp-server.ts"
import type { McpServerOptions } from "../mcp-context.ts"

/** Whose request it is, and what they may do. */
export interface HttpCaller {
  readonly name: string
  readonly mayRun: boolean
  readonly mayApprove: boolean
  /** May work outside of `http.workspaces`. */
  readonly mayUseAnyDirectory: boolean
}

export interface McpHttpEndpoint {
  /** Answers one request whose body was read before. Its signal ends what it waits for; sessions continue. */
  serve(request: Request, call: { readonly body: unknown; readonly caller: HttpCaller }): Promise<Response>
  close(): Promise<void>
}

const runScope = "run"
const approveScope = "approve"
const leaveScope = "leave"

/**
 * The server over Streamable HTTP, for clients of every revision: each request gets a server of its own, so any process of the store may answer
 * any request, and there are no connections to lose.
 */
export const createMcpHttpEndpoint = (
  options: Omit<McpServerOptions, "caller" | "actorName" | "noApprove" | "readOnly" | "cwd" | "directories">,
): McpHttpEndpoint => {
  const handler = createMcpHandler(
    ({ authInfo }) => {
      if (authInfo === undefined) throw new Error("a request over HTTP came without its caller")
      const { clientId, scopes } = authInfo
      return createMcpServer({
        ...options,
        caller: `http-${clientId}`,
        actorName: clientId,
        noApprove: !scopes.includes(approveScope),
        readOnly: !scopes.includes(runScope),
        cwd: defaultWorkspace(options.loaded),
        directories: scopes.includes(leaveScope) ? "any" : workspacesOf(options.loaded),
      })
    },
    { onerror: (error) => options.logger.error({ err: error }, "a request of MCP over HTTP reported a problem") },
  )
  return {
    serve: (request, { body, caller }) => {
      const scopes = [
        ...(caller.mayRun ? [runScope] : []),
        ...(caller.mayApprove ? [approveScope] : []),
        ...(caller.mayUseAnyDirectory ? [leaveScope] : []),
      ]
      // The token itself was checked before and is not needed any more.
      const authInfo = { token: "", clientId: caller.name, scopes }
      return handler.fetch(request, { parsedBody: body, authInfo })
    },
    close: () => handler.close(),
  }
}
