import {
  type AuthProvider,
  type FetchLike,
  StreamableHTTPClientTransport,
  type Transport,
} from "@modelcontextprotocol/client"
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio"
import type { McpHttpServer, McpServerConfig } from "../../contracts/config/config-services.ts"
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
  /** What authorizes the requests to a server at an address; absent: its headers alone. */
  readonly authorization?: AuthProvider | undefined
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

/**
 * The `fetch` of the transport, whose bodies are texts. The headers of the server are sent to the server alone: the requests for its tokens go to other
 * ones. Secrets are read for each request, since they can change while the connection lasts.
 */
const sendRequest =
  (server: URL, ownHeaders: () => Readonly<Record<string, string>>): FetchLike =>
  async (url, { method, headers, body, redirect, signal } = {}) => {
    const text = body instanceof URLSearchParams ? body.toString() : (body ?? undefined)
    if (text !== undefined && typeof text !== "string")
      throw new TypeError("the body of a request to an MCP server must be text")
    const all = new Headers(headers)
    if (new URL(url).origin === server.origin)
      for (const [name, value] of Object.entries(ownHeaders())) all.set(name, value)
    const response = await outgoing(url, { method, headers: all, body: text, redirect, signal })
    // The SDK reads an error of an authorization server only in an object of the platform's own class.
    return response.ok ? response : new Response(response.body, response)
  }

/** Returns the fetch of requests to a server at an address, and of those for its tokens. @throws McpUnavailable if a required environment variable is not set */
export const fetchOf = (settings: McpServerSettings & { readonly config: McpHttpServer }): FetchLike => {
  const { config } = settings
  const ownHeaders = () => ({
    ...config.headers,
    [inRunHeader]: "1",
    ...fromEnvironment(settings, config.headersEnv),
  })
  ownHeaders()
  return sendRequest(new URL(config.url), ownHeaders)
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
    return {
      transport: screenTransport(
        new StreamableHTTPClientTransport(new URL(config.url), {
          fetch: fetchOf({ ...settings, config }),
          ...(settings.authorization === undefined ? {} : { authProvider: settings.authorization }),
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
