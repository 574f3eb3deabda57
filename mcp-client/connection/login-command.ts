import { InsufficientScopeError } from "@modelcontextprotocol/client"

/** The name of this client at authorization servers. */
export const clientName = "Adjutant"

/** Scopes that are shown in a command. A server names them: others could be read as something else by a shell. */
const shownScope = /^[\w.:/ -]{1,200}$/

/** Returns the advice to log in. */
export const loginCommand = (server: string, scope?: string): string =>
  scope !== undefined && shownScope.test(scope)
    ? `run "adjutant mcp-login ${server} --scope '${scope}'"`
    : `run "adjutant mcp-login ${server}"`

/** Returns what is missing if a server refused a request because the login does not cover it. */
export const missingScope = (error: unknown, server: string): string | undefined => {
  if (!InsufficientScopeError.isInstance(error)) return undefined
  return `MCP server ${server} requires more rights than it gave: ${loginCommand(server, error.requiredScope)}, or set mcpServers.${server}.oauth.scope if it needs no login`
}
