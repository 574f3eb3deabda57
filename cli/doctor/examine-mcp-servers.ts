import type { LoadedConfig } from "../../config/loaded-config.ts"
import { createSecretRedact } from "../../config/secrets/secrets.ts"
import type { Environment } from "../../domain/environment.ts"
import { mostTools } from "../../domain/tools/search/listed-tools.ts"
import type { Finding } from "../../server/diagnose/finding.ts"
import { resolvePrograms } from "../../sessions/settings/fields/resolve-programs.ts"

/** Connects to each MCP server once, and returns which answer, and what they lack; nothing if none is configured. */
export const examineMcpServers = async (loaded: LoadedConfig, env: Environment): Promise<readonly Finding[]> => {
  const { mcpServers } = resolvePrograms(loaded)
  if (Object.keys(mcpServers).length === 0) return []
  const name = "mcp servers"
  const redact = createSecretRedact(loaded, env)
  const { probeMcpServers } = await import("../../worker/probe/probe-mcp-servers.ts")
  const probed = await probeMcpServers({ mcpServers, envAllow: loaded.config.security.envAllow }, env)
  const down = probed.flatMap(({ server, problem }) =>
    problem === undefined
      ? []
      : [{ name, status: "warn" as const, detail: redact(problem), hint: `correct mcpServers.${server}` }],
  )
  const unusable = probed.flatMap(({ unusable: reports }) =>
    reports.map(({ message }) => ({
      name,
      status: "warn" as const,
      detail: redact(message),
      hint: "report it to the developers of the server; its other tools can be used",
    })),
  )
  const answering = probed.filter(({ problem }) => problem === undefined)
  const count = answering.reduce((sum, { tools }) => sum + tools, 0)
  const most = Math.min(loaded.config.tools.maxOffered, mostTools(loaded.models["main"]?.provider))
  const unlisted = {
    name,
    status: "ok" as const,
    detail: `the list of a model has at most ${most} tools (tools.maxOffered, and what its provider accepts): of these ${count}, find_tools and call_tool reach the others`,
  }
  const detail = answering.map(({ server, tools }) => `${server} (${tools} tools)`).join(", ")
  return [
    ...(answering.length === 0 ? [] : [{ name, status: "ok" as const, detail }]),
    ...(count > most ? [unlisted] : []),
    ...down,
    ...unusable,
  ]
}
