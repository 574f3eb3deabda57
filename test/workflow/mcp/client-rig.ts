import { createServer } from "node:http"
import { Client, InMemoryTransport, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { toNodeHandler } from "@modelcontextprotocol/node"
import { createMcpHandler, type McpServer } from "@modelcontextprotocol/server"
import { onTestFinished } from "vitest"
import { createMcpServer } from "../../../mcp/create-mcp-server.ts"
import { openedEngine } from "../../../mcp/engine-access.ts"
import type { McpServerOptions } from "../../../mcp/mcp-context.ts"
import type { Harness } from "../../helpers/engine/workflow-harness.ts"

/** The answer of a client to a form. */
export type FormAnswer =
  | { readonly action: "accept"; readonly content: Readonly<Record<string, string>> }
  | { readonly action: "decline" | "cancel" }

export interface ClientKind {
  /** The revision that the client speaks; default: the older one. */
  readonly isModern?: boolean
  /** How it answers forms; absent: it shows none. */
  readonly onForm?: (message: string) => FormAnswer | Promise<FormAnswer>
  readonly options?: Partial<McpServerOptions>
}

export interface CallOptions {
  /** The client asks for progress. */
  readonly hasProgress?: boolean
  readonly onProgress?: (progress: number) => void
  readonly signal?: AbortSignal
}

const createServerFor =
  ({ client, store, loaded, cwd }: Pick<Harness, "client" | "store" | "loaded" | "cwd">, { options }: ClientKind) =>
  (): McpServer =>
    createMcpServer({
      engine: openedEngine({ client, store }),
      loaded,
      toolsets: ["tasks", "task", "sessions"],
      noApprove: false,
      logger: { error: () => undefined, warn: () => undefined },
      caller: "stdio:test",
      cwd,
      ...options,
    })

const overHttp = async (create: () => McpServer) => {
  const handle = toNodeHandler(createMcpHandler(create))
  const server = createServer((request, response) => void handle(request, response))
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const address = server.address()
  if (address === null || typeof address === "string") throw new Error("the server has no port")
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  return new StreamableHTTPClientTransport(new URL(`http://127.0.0.1:${address.port}/mcp`))
}

/** Connects a client of this kind to a server over the harness's client and store. */
export const connectClient = async (
  harness: Pick<Harness, "client" | "store" | "loaded" | "cwd">,
  kind: ClientKind = {},
) => {
  const mcp = new Client(
    { name: "coder", version: "1" },
    {
      capabilities: kind.onForm === undefined ? {} : { elicitation: { form: {} } },
      ...(kind.isModern === true ? { versionNegotiation: { mode: "auto" as const } } : {}),
    },
  )
  const { onForm } = kind
  if (onForm !== undefined)
    mcp.setRequestHandler("elicitation/create", async ({ params }) => {
      const answer = await onForm(params.message)
      return answer.action === "accept" ? { action: "accept", content: { ...answer.content } } : { ...answer }
    })
  const create = createServerFor(harness, kind)
  if (kind.isModern === true) await mcp.connect(await overHttp(create))
  else {
    const [own, other] = InMemoryTransport.createLinkedPair()
    await Promise.all([create().connect(other), mcp.connect(own)])
  }
  onTestFinished(() => mcp.close())
  return {
    mcp,
    call: async (
      name: string,
      args: Record<string, unknown>,
      { hasProgress, onProgress, signal }: CallOptions = {},
    ) => {
      const { content, structuredContent, isError } = await mcp.callTool(
        { name, arguments: args },
        {
          ...(hasProgress === true ? { onprogress: ({ progress }) => onProgress?.(progress) } : {}),
          ...(signal === undefined ? {} : { signal }),
        },
      )
      const [first] = content
      return {
        text: first?.type === "text" ? first.text : "",
        data: { ...(structuredContent as Record<string, unknown>) },
        isError: isError === true,
      }
    },
  }
}
