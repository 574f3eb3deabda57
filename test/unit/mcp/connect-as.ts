import { Client, InMemoryTransport } from "@modelcontextprotocol/client"
import type { McpServer } from "@modelcontextprotocol/server"
import { onTestFinished } from "vitest"
import { z } from "zod"
import { sessionsSpawnInputSchema } from "../../../contracts/delegation/sessions-input.ts"
import { createMcpServer } from "../../../mcp/create-mcp-server.ts"
import { openedEngine } from "../../../mcp/engine-access.ts"
import type { McpServerOptions } from "../../../mcp/mcp-context.ts"
import { actor, type ClientFixture, loaded } from "../client/client-fixture.ts"

export interface Answer {
  readonly text: string
  readonly data: Record<string, unknown>
}

export interface Caller {
  call(name: string, args: Record<string, unknown>): Promise<Answer>
  /** Sends a request of any method; returns the result, or the text of the error. */
  request(method: string, params: Record<string, unknown>): Promise<string>
}

/** Connects an MCP client with this identity to a server over the fixture's client and store. */
export const connectAs = async (
  { client, store }: Pick<ClientFixture, "client" | "store">,
  caller: string,
  options: Partial<McpServerOptions> = {},
): Promise<Caller> => {
  const server = createMcpServer({
    engine: openedEngine({ client, store }),
    loaded,
    toolsets: ["tasks", "task", "sessions"],
    noApprove: false,
    logger: { warn: () => undefined, error: () => undefined },
    caller,
    ...options,
  })
  return await connectTo(server)
}

/** Connects a client to an MCP server. */
export const connectTo = async (server: McpServer): Promise<Caller> => {
  const mcp = new Client({ name: "test", version: "1" })
  const [own, other] = InMemoryTransport.createLinkedPair()
  await Promise.all([server.connect(other), mcp.connect(own)])
  onTestFinished(async () => {
    await mcp.close()
    await server.close()
  })
  return {
    call: async (name, args) => {
      const { content, structuredContent } = await mcp.callTool({ name, arguments: args })
      const [first] = content
      return {
        text: first?.type === "text" ? first.text : "",
        data: { ...(structuredContent as Record<string, unknown>) },
      }
    },
    request: (method, params) =>
      mcp.request({ method, params: { ...params, _meta: declared } }, z.looseObject({})).then(
        (result) => JSON.stringify(result),
        (error: unknown) => `error: ${String(error)}`,
      ),
  }
}

/** Without it, requests of the Tasks extension are refused before their task is looked up. */
const declared = {
  "io.modelcontextprotocol/clientCapabilities": { extensions: { "io.modelcontextprotocol/tasks": {} } },
}

/** Starts a sub-agent as this caller and returns its id. */
export const spawnAs = async ({ client }: ClientFixture, caller: string, label: string): Promise<string> => {
  const input = sessionsSpawnInputSchema.parse({ task: `the secret of ${caller}`, label })
  const outcome = await client.spawn({ call: { tool: "sessions_spawn", input }, caller, cwd: "/srv/project", actor })
  if (outcome.kind === "refused") throw new Error(outcome.refusal.error)
  return outcome.child.sessionId
}
