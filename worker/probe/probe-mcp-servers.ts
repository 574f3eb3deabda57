import type { Environment } from "../../domain/environment.ts"
import { createMcpServers, type FoundMcpTools, type McpRun } from "../../mcp-client/mcp-servers.ts"
import { checkSchema } from "../../sessions/result/check-schema.ts"
import { userLogins } from "../user-logins.ts"
import { toolEnvironment } from "../../tools/tool-environment.ts"

/** What one connection to a server showed. */
export interface ProbedServer extends Required<Pick<FoundMcpTools, "unusable">> {
  readonly server: string
  readonly tools: number
  /** Why the server did not list its tools. */
  readonly problem?: string
}

/** Connects to each server once, as a worker would, and pins nothing. */
export const probeMcpServers = async (run: McpRun, env: Environment): Promise<readonly ProbedServer[]> => {
  const servers = createMcpServers({
    env,
    toolEnv: (allow) => toolEnvironment(env, allow),
    checkSchema,
    logins: userLogins(env),
  })
  const probe = async (server: string): Promise<ProbedServer> => {
    const { tools, down, unusable = [] } = await servers.tools(run, [`mcp__${server}__*`])
    const problem = down[0]?.problem
    return { server, tools: tools.length, unusable, ...(problem === undefined ? {} : { problem }) }
  }
  try {
    return await Promise.all(Object.keys(run.mcpServers).map(probe))
  } finally {
    await servers.close()
  }
}
