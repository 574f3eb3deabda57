import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process"
import { createInterface } from "node:readline"
import type { ProjectDirectory } from "../cli/program.ts"
import { mcpCommand } from "./mcp-project.ts"

const version = "2026-07-28"

/** The fields of results that tests read; the method decides which of them exist. */
export interface RawResult {
  readonly resultType: string
  readonly taskId: string
  readonly status: string
  readonly statusMessage: string
  readonly inputRequests: Readonly<Record<string, unknown>>
  readonly result: RawResult
  readonly content: readonly { readonly text: string }[]
  readonly contents: readonly { readonly text: string }[]
  readonly structuredContent: {
    readonly sessionId: string
    readonly tasks: readonly { readonly status: string }[]
  }
  readonly capabilities: { readonly extensions: unknown }
  readonly error?: unknown
}

interface RawMessage {
  readonly id?: number
  readonly result?: RawResult
  readonly error?: unknown
}

export interface RawClient {
  readonly child: ChildProcessWithoutNullStreams
  /** Returns the result of a request, or its error under `error`. */
  request(method: string, params: Record<string, unknown>): Promise<RawResult>
  readonly ended: Promise<{ code: number | null; stderr: string }>
}

/** Speaks the 2026-07-28 revision directly, with the capabilities that a test selects. */
export const connectRaw = (
  project: ProjectDirectory,
  capabilities: Record<string, unknown>,
  ...flags: readonly string[]
): RawClient => {
  const { command, args, cwd, env } = mcpCommand(project, ...flags)
  const child = spawn(command, args, { cwd, env })
  const waiting = new Map<number, (message: RawMessage) => void>()
  let stderr = ""
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text))
  createInterface({ input: child.stdout }).on("line", (line) => {
    const message = JSON.parse(line) as RawMessage
    if (message.id !== undefined) waiting.get(message.id)?.(message)
  })
  const ended = new Promise<{ code: number | null; stderr: string }>((resolve) =>
    child.once("close", (code) => resolve({ code, stderr })),
  )
  void ended.then(({ code }) => {
    for (const answer of waiting.values()) answer({ error: `the server ended with ${code}: ${stderr}` })
  })
  let nextId = 0
  return {
    child,
    ended,
    request: async (method, params) => {
      const id = (nextId += 1)
      const _meta = {
        "io.modelcontextprotocol/protocolVersion": version,
        "io.modelcontextprotocol/clientInfo": { name: "raw-client", version: "1" },
        "io.modelcontextprotocol/clientCapabilities": capabilities,
      }
      const answer = new Promise<RawMessage>((resolve) => waiting.set(id, resolve))
      child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params: { ...params, _meta } })}\n`)
      const message = await answer
      waiting.delete(id)
      return message.result ?? ({ error: message.error } as RawResult)
    },
  }
}
