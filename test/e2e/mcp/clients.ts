import { Client } from "@modelcontextprotocol/client"
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio"
import { Client as OldClient } from "@modelcontextprotocol/sdk/client/index.js"
import { StdioClientTransport as OldTransport } from "@modelcontextprotocol/sdk/client/stdio.js"
import type { ProjectDirectory } from "../cli/program.ts"
import { mcpCommand } from "./mcp-project.ts"

export interface ToolResult {
  readonly text: string
  readonly data: Record<string, unknown>
  readonly isError: boolean
}

export interface ListedTool {
  readonly name: string
  readonly annotations?: object | undefined
  readonly inputSchema: { readonly required?: readonly string[] | undefined }
  readonly outputSchema?: { readonly type?: unknown } | undefined
}

export interface TestClient {
  /** Revision of the protocol that both sides agreed on; undefined if the client does not expose it. */
  readonly revision: string | undefined
  readonly instructions: string | undefined
  tools(): Promise<readonly ListedTool[]>
  call(name: string, args: Record<string, unknown>, onProgress?: (message: string) => void): Promise<ToolResult>
  read(uri: string): Promise<string>
  close(): Promise<void>
}

const hangGuardMs = 120_000

const toResult = ({ content, structuredContent, isError }: Readonly<Record<string, unknown>>): ToolResult => ({
  text: (content as readonly { readonly text: string }[] | undefined)?.[0]?.text ?? "",
  data: (structuredContent ?? {}) as Record<string, unknown>,
  isError: isError === true,
})

/** Answers the forms of an eliciting client. */
export type Elicited = (message: string) => Record<string, unknown>

const elicitationAnswer = (elicited: Elicited) => async (request: { params: { message: string } }) =>
  ({ action: "accept", content: elicited(request.params.message) }) as const

/** Connects the client of the SDK's second version; `mode` selects the revision that it requests. */
export const connectNew = async (
  project: ProjectDirectory,
  options: { readonly flags?: readonly string[]; readonly modern?: boolean; readonly elicited?: Elicited } = {},
): Promise<TestClient> => {
  const client = new Client(
    { name: "new-client", version: "1.0.0" },
    {
      capabilities: options.elicited === undefined ? {} : { elicitation: { form: {} } },
      ...(options.modern === true ? { versionNegotiation: { mode: "auto" as const } } : {}),
    },
  )
  if (options.elicited !== undefined)
    client.setRequestHandler("elicitation/create", elicitationAnswer(options.elicited) as never)
  await client.connect(new StdioClientTransport(mcpCommand(project, ...(options.flags ?? []))), {
    timeout: hangGuardMs,
  })
  return {
    revision: client.getNegotiatedProtocolVersion(),
    instructions: client.getInstructions(),
    tools: async () => (await client.listTools()).tools as readonly ListedTool[],
    call: async (name, args, onProgress) =>
      toResult(
        await client.callTool(
          { name, arguments: args },
          {
            timeout: hangGuardMs,
            ...(onProgress === undefined ? {} : { onprogress: ({ message }) => onProgress(message ?? "") }),
          },
        ),
      ),
    read: async (uri) =>
      String((await client.readResource({ uri })).contents.map((each) => ("text" in each ? each.text : ""))),
    close: () => client.close(),
  }
}

/** Connects the client of the SDK's first version. */
export const connectOld = async (
  project: ProjectDirectory,
  options: { readonly flags?: readonly string[] } = {},
): Promise<TestClient> => {
  const client = new OldClient({ name: "old-client", version: "1.0.0" })
  await client.connect(new OldTransport(mcpCommand(project, ...(options.flags ?? []))), { timeout: hangGuardMs })
  return {
    revision: undefined,
    instructions: client.getInstructions(),
    tools: async () => (await client.listTools()).tools,
    call: async (name, args, onProgress) =>
      toResult(
        await client.callTool({ name, arguments: args }, undefined, {
          timeout: hangGuardMs,
          ...(onProgress === undefined ? {} : { onprogress: ({ message }) => onProgress(message ?? "") }),
        }),
      ),
    read: async (uri) =>
      String((await client.readResource({ uri })).contents.map((each) => ("text" in each ? each.text : ""))),
    close: () => client.close(),
  }
}
