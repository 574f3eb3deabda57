import type { LlmProfile } from "../../../contracts/config/agent-profile.ts"
import { AdjutantError } from "../../../contracts/adjutant-error.ts"
import { didYouMean } from "../../../domain/text/suggest.ts"
import {
  builtinToolNames,
  delegationToolNames,
  isDelegationTool,
  mcpServerOf,
} from "../../../domain/tools/tool-names.ts"

export interface KnownTools {
  /** Names of configured MCP servers. */
  readonly mcpServers: readonly string[]
  /** Tools of the embedding program. */
  readonly customTools: readonly string[]
}

interface ResolvedTools {
  readonly tools: readonly string[]
  /** Null: the request names none, so that `delegation` decides. */
  readonly delegationTools: readonly string[] | null
}

/** Patterns of all tools of the configured MCP servers. */
export const serverTools = (known: KnownTools): readonly string[] =>
  known.mcpServers.map((server) => `mcp__${server}__*`)

const checkToolName = (name: string, known: KnownTools): void => {
  const ordinary: readonly string[] = [...builtinToolNames, ...known.customTools]
  if (ordinary.includes(name) || isDelegationTool(name)) return
  const server = mcpServerOf(name)
  if (server !== undefined && known.mcpServers.includes(server)) return
  const hint =
    server === undefined
      ? didYouMean(name, [...ordinary, ...Object.values(delegationToolNames).flat(), ...serverTools(known)])
      : `: no MCP server ${server} is configured${didYouMean(server, known.mcpServers)}`
  const list = hint === "" ? `; there is: ${[...ordinary, ...serverTools(known)].join(", ")}` : hint
  throw new AdjutantError("tool_not_found", `there is no tool ${name}${list}`)
}

/** Every name that a request mentions must be one that the run could meet: a mistyped one would silently do nothing. */
export const checkToolNames = (names: readonly string[], known: KnownTools): void => {
  for (const name of names) checkToolName(name, known)
}

/**
 * The tools of a run: those of the request, else the profile's, else all of them. Throws `tool_not_found`, or `invalid_argument` for an
 * empty list in a request.
 */
export const resolveTools = (
  requested: readonly string[] | undefined,
  profile: LlmProfile,
  { tools, knownTools }: { readonly tools: readonly string[]; readonly knownTools: KnownTools | null },
): ResolvedTools => {
  if (requested?.length === 0)
    throw new AdjutantError("invalid_argument", "tools must not be empty: name at least one, or leave the list out")
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
