import { type FetchLike, StreamableHTTPClientTransport, type Transport } from "@modelcontextprotocol/client"
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio"
import type { McpServerConfig } from "../../contracts/config/config-services.ts"
import type { LenientReader } from "./lenient-results.ts"
import { McpUnavailable } from "./mcp-unavailable.ts"
import { inRunHeader, inRunVariable } from "../../domain/caller/caller-id.ts"
import type { Environment } from "../../domain/environment.ts"
import { outgoing } from "../../network/outgoing.ts"
import { screenTransport } from "./screen-transport.ts"

/** One server, with everything that a connection to it depends on. */
export interface McpServerSettings {
  readonly name: string
  readonly config: McpServerConfig
  /** The worker's environment, from which secrets are read by name. */
  readonly env: Environment
  /** The variables that every program gets. */
  readonly allowedEnv: Readonly<Record<string, string>>
}

const fromEnvironment = (
  settings: McpServerSettings,
  names: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(names).map(([own, variable]) => {
      const value = settings.env[variable]
      if (value === undefined || value === "")
        throw new McpUnavailable(
          `MCP server ${settings.name} needs the environment variable ${variable}: set it for the worker`,
        )
      return [own, value]
    }),
  )

/** The `fetch` of the transport, whose bodies are texts. Secrets are read for each request, since they can change while the connection lasts. */
const sendRequest =
  (secretHeaders: () => Readonly<Record<string, string>>): FetchLike =>
  async (url, { method, headers, body, redirect, signal } = {}) => {
    if (body !== undefined && body !== null && typeof body !== "string")
      throw new TypeError("the body of a request to an MCP server must be text")
    const all = new Headers(headers)
    for (const [name, value] of Object.entries(secretHeaders())) all.set(name, value)
    return outgoing(url, { method, headers: all, body: body ?? undefined, redirect, signal })
  }

export interface OpenedTransport {
  readonly transport: Transport
  /** Returns the last part of what the program wrote to standard error. */
  readonly lastStderr: () => string
}

const keptCharacters = 1_000

/**
 * A program over stdio whose protocol version is asked for in place. For the SDK's own class, the client starts a second program to ask (2.4.0).
 */
class ProgramTransport extends StdioClientTransport {}

/** Creates the transport of a server: HTTP, or a program over stdio. @throws McpUnavailable if a required environment variable is not set */
export const createTransport = (settings: McpServerSettings, reader: LenientReader): OpenedTransport => {
  const { config } = settings
  if ("url" in config) {
    const secretHeaders = () => fromEnvironment(settings, config.headersEnv)
    secretHeaders()
    const headers = { ...config.headers, [inRunHeader]: "1" }
    return {
      transport: screenTransport(
        new StreamableHTTPClientTransport(new URL(config.url), {
          requestInit: { headers },
          fetch: sendRequest(secretHeaders),
        }),
        reader,
      ),
      lastStderr: () => "",
    }
  }
  const transport = new ProgramTransport({
    command: config.command,
    args: [...config.args],
    env: {
      ...settings.allowedEnv,
      ...config.env,
      ...fromEnvironment(settings, config.envFrom),
      [inRunVariable]: "1",
    },
    ...(config.cwd === undefined ? {} : { cwd: config.cwd }),
    stderr: "pipe",
  })
  let stderr = ""
  transport.stderr?.on("data", (chunk: Buffer) => {
    stderr = (stderr + chunk.toString("utf8")).slice(-keptCharacters)
  })
  return { transport: screenTransport(transport, reader), lastStderr: () => stderr.trim() }
}
