import type { LlmProfile } from "../../../contracts/config/agent-profile.ts"
import { AdjutantError } from "../../../contracts/adjutant-error.ts"
import { didYouMean } from "../../../domain/text/suggest.ts"
import {
  builtinToolNames,
  delegationToolNames,
  isDelegationTool,
  mcpServerOf,
  skillToolName,
} from "../../../domain/tools/tool-names.ts"

export interface KnownTools {
  /** Names of configured MCP servers. */
  readonly mcpServers: readonly string[]
  /** Tools of the embedding program. */
  readonly customTools: readonly string[]
}

interface ResolvedTools {
  readonly tools: readonly string[]
  /** Null: the request names none, so `delegation` applies. */
  readonly delegationTools: readonly string[] | null
}

/** Returns patterns for all tools of the configured MCP servers. */
export const serverTools = (known: KnownTools): readonly string[] =>
  known.mcpServers.map((server) => `mcp__${server}__*`)

const checkToolName = (name: string, known: KnownTools): void => {
  const ordinary: readonly string[] = [...builtinToolNames, ...known.customTools]
  if (ordinary.includes(name) || name === skillToolName || isDelegationTool(name)) return
  const server = mcpServerOf(name)
  if (server !== undefined && known.mcpServers.includes(server)) return
  const hint =
    server === undefined
      ? didYouMean(name, [...ordinary, ...Object.values(delegationToolNames).flat(), ...serverTools(known)])
      : `: no MCP server ${server} is configured${didYouMean(server, known.mcpServers)}`
  const list = hint === "" ? `; tools: ${[...ordinary, ...serverTools(known)].join(", ")}` : hint
  throw new AdjutantError("tool_not_found", `there is no tool ${name}${list}`)
}

/** Requires that every tool name in a request exists: a mistyped name would have no effect. */
export const checkToolNames = (names: readonly string[], known: KnownTools): void => {
  for (const name of names) checkToolName(name, known)
}

/**
 * Returns the tools of a run: those of the request, else the profile's, else all. Throws `tool_not_found`, or `invalid_argument` for an empty list in a
 * request.
 */
export const resolveTools = (
  requested: readonly string[] | undefined,
  profile: LlmProfile,
  { tools, knownTools }: { readonly tools: readonly string[]; readonly knownTools: KnownTools | null },
): ResolvedTools => {
  if (requested?.length === 0)
    throw new AdjutantError("invalid_argument", "tools must not be empty: list at least one, or omit it")
  const named = requested ?? profile.tools
  if (named === undefined) return { tools: [...new Set(tools)], delegationTools: null }
  if (knownTools !== null) checkToolNames(named, knownTools)
  const unique = [...new Set(named)]
  const delegationTools = unique.filter(isDelegationTool)
  return {
    tools: unique.filter((name) => !isDelegationTool(name)),
    delegationTools: delegationTools.length === 0 ? null : delegationTools,
  }
}
