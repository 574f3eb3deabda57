import type { ProviderName } from "../../../contracts/run/model-provider.ts"
import type { RunSnapshot } from "../../../contracts/run-snapshot.ts"
import { fallbackModels } from "../../models/fallback-models.ts"
import { findToolsName, mcpServerOf, toolListCovers } from "../tool-names.ts"

/** Used for runs that began before the setting existed. */
const defaultMostTools = 60

/** Providers that are missing have no known limit. */
const providerMaxima: Readonly<Partial<Record<ProviderName, number>>> = {
  openai: 128,
  "openai-compatible": 128,
  "azure-openai": 128,
}

/** Returns the largest number of tools that a provider accepts in a request; infinite if no limit is known. */
export const mostTools = (provider: ProviderName | undefined): number =>
  (provider === undefined ? undefined : providerMaxima[provider]) ?? Number.POSITIVE_INFINITY

type ListSettings = Pick<
  RunSnapshot,
  "tools" | "deniedTools" | "maxOfferedTools" | "model" | "models" | "modelTiers"
> & { readonly mcpServers: Readonly<Record<string, unknown>> }

/** Returns how many tools every model of a run accepts in a request: its own one, and those that take over. */
const acceptedTools = (run: ListSettings): number =>
  Math.min(
    ...[run.model, ...fallbackModels(run, run.model)].map((name) =>
      mostTools(Object.hasOwn(run.models, name) ? run.models[name]?.provider : undefined),
    ),
  )

/** More than a run has besides those that its list of tools names: delegation tools, and those that end or search. */
const mostUnnamed = 24

const isPattern = (name: string): boolean => name.endsWith("*")

/** Returns whether a run has `find_tools` and `call_tool`: it may use tools of MCP servers that it does not name one by one, or names more than its models accept. */
export const mayFindTools = (run: ListSettings): boolean => {
  if (toolListCovers(run.deniedTools, findToolsName)) return false
  const servers = Object.keys(run.mcpServers)
  const reaches = (name: string): boolean => name === "*" || servers.includes(mcpServerOf(name) ?? "")
  const reaching = servers.length === 0 ? [] : run.tools.filter(reaches)
  return reaching.some(isPattern) || (reaching.length > 0 && run.tools.length > acceptedTools(run) - mostUnnamed)
}

/** How many of a server's tools are in the list of a run. */
export interface ServerShare {
  readonly server: string
  readonly listed: number
  readonly tools: number
}

interface NamedTool {
  readonly name: string
}

const byServer = <Each extends NamedTool>(tools: readonly Each[]): ReadonlyMap<string, readonly Each[]> =>
  Map.groupBy(tools, ({ name }) => mcpServerOf(name) ?? "")

/** Returns the tools by turns: the first one of each server, then the second one of each, and so on. */
const byTurns = <Each extends NamedTool>(tools: readonly Each[]): readonly Each[] => {
  const turns = new Map([...byServer(tools).values()].flatMap((each) => each.map((tool, index) => [tool, index])))
  return tools.toSorted((left, right) => (turns.get(left) ?? 0) - (turns.get(right) ?? 0))
}

/**
 * Returns which tools of MCP servers are in the list of a run, in their order, next to `others` that are in it in any case. Tools that the run names one by
 * one come first, and every server gets its share of what is left.
 */
export const listedTools = <Each extends NamedTool>(
  run: ListSettings,
  tools: readonly Each[],
  others: number,
): readonly Each[] => {
  if (!mayFindTools(run)) return tools
  const accepted = acceptedTools(run) - others
  const wanted = (run.maxOfferedTools ?? defaultMostTools) - others
  const named = tools.filter(({ name }) => run.tools.includes(name)).slice(0, Math.max(0, accepted))
  const rest = tools.filter((tool) => !run.tools.includes(tool.name))
  const room = Math.max(0, Math.min(accepted, wanted) - named.length)
  const listed = new Set([...named, ...byTurns(rest).slice(0, room)])
  return tools.filter((tool) => listed.has(tool))
}

/** Returns the servers of which only a part of the tools is listed. */
export const cutServers = (tools: readonly NamedTool[], listed: readonly NamedTool[]): readonly ServerShare[] => {
  const counts = byServer(listed)
  return [...byServer(tools)]
    .map(([server, all]) => ({ server, listed: counts.get(server)?.length ?? 0, tools: all.length }))
    .filter((share) => share.listed < share.tools)
}

/** Returns what people are told of servers of which only a part of the tools is listed. */
export const cutServersText = (shares: readonly ServerShare[]): string =>
  `the list of the model has ${shares
    .map(({ server, listed, tools }) => `${listed} of the ${tools} tools of MCP server ${server}`)
    .join(", ")}: find_tools and call_tool reach the others (tools.maxOffered)`
