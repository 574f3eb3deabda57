import type { RunSnapshot } from "../../../contracts/run-snapshot.ts"
import { toolsUnlistedOrdinal } from "../../../domain/run/run-event-ordinals.ts"
import { cutServers, cutServersText, listedTools } from "../../../domain/tools/search/listed-tools.ts"
import { isAllowedTool, mcpServerOf } from "../../../domain/tools/tool-names.ts"
import type { ToolSpec } from "../../../models/model-provider.ts"
import type { SessionRow, Store } from "../../../store/store.ts"
import type { AgentDependencies } from "../../agent-dependencies.ts"
import type { RunScope } from "../../contract/run-scope.ts"
import type { OfferedTools } from "../offered-tools.ts"
import { toolSpec } from "./tool-spec.ts"

/** What the list of a run is made of. */
interface Offer {
  readonly snapshot: RunSnapshot
  readonly offered: Pick<OfferedTools, "served" | "down">
  /** How many tools are in the list besides those of MCP servers. */
  readonly others: number
}

type Scope = Pick<RunScope, "sessionId" | "runId">

const keptLists = 200

/** The lists of the last runs of this process, by run. */
const kept = new WeakMap<Store["toolLists"], Map<string, readonly ToolSpec[]>>()

const keep = ({ toolLists }: Pick<Store, "toolLists">, runId: string, list: readonly ToolSpec[]): void => {
  const lists = kept.get(toolLists) ?? new Map<string, readonly ToolSpec[]>()
  kept.set(toolLists, lists)
  lists.set(runId, list)
  for (const oldest of lists.keys()) {
    if (lists.size <= keptLists) break
    lists.delete(oldest)
  }
}

const listKey = "tool_list"

/** Returns the hash of a run's list; undefined before its first request. */
const hashOf = ({ internal }: Pick<SessionRow, "internal">, runId: string): string | undefined => {
  const stored = internal[listKey]
  if (typeof stored !== "object" || stored === null || !("run_id" in stored) || !("hash" in stored)) return undefined
  return stored.run_id === runId && typeof stored.hash === "string" ? stored.hash : undefined
}

/** Returns the list of a run; undefined before its first request. */
const fixedList = async (
  { store }: Pick<AgentDependencies, "store">,
  { sessionId, runId }: Scope,
): Promise<readonly ToolSpec[] | undefined> => {
  const known = kept.get(store.toolLists)?.get(runId)
  if (known !== undefined) return known
  const session = await store.sessions.get(sessionId)
  const hash = session === undefined ? undefined : hashOf(session, runId)
  const list = hash === undefined ? undefined : await store.toolLists.get(hash)
  if (list !== undefined) keep(store, runId, list)
  return list
}

/** Returns the tools that the run names one by one and whose servers do not answer: their place in the list is theirs. */
const awaitedTools = ({ snapshot, offered: { served, down } }: Offer): readonly ToolSpec[] => {
  const isDown = (name: string): boolean => down.some(({ server }) => server === mcpServerOf(name))
  const isKnown = (name: string): boolean => served.some((tool) => tool.name === name)
  return snapshot.tools
    .filter((name) => !name.endsWith("*") && isDown(name) && !isKnown(name) && isAllowedTool(snapshot, name))
    .map((name) => ({
      name,
      description: "Its MCP server did not answer when this run began, so that its arguments are not known.",
      inputSchema: { type: "object" },
    }))
}

const reportUnlisted = async (
  { store }: Pick<AgentDependencies, "store">,
  { sessionId, runId }: Scope,
  shares: ReturnType<typeof cutServers>,
): Promise<void> => {
  if (shares.length === 0) return
  const data = { servers: shares, message: cutServersText(shares) }
  await store.events.append(sessionId, [{ type: "tools-unlisted", runId, ordinal: toolsUnlistedOrdinal, data }])
}

/**
 * Returns the tools of MCP servers in the list of a run. Its first request fixes them, so that all its requests begin alike: what a server lists later is not
 * added, and what it no longer lists stays, and is refused when it is called.
 */
export const fixedTools = async (
  deps: Pick<AgentDependencies, "store">,
  scope: Scope,
  offer: Offer,
): Promise<readonly ToolSpec[]> => {
  const { snapshot, offered, others } = offer
  if (!snapshot.tools.some((name) => name === "*" || mcpServerOf(name) !== undefined)) return []
  const fixed = await fixedList(deps, scope)
  if (fixed !== undefined) return fixed
  const { store } = deps
  const all = [...offered.served.map(toolSpec), ...awaitedTools(offer)]
  const list = listedTools(snapshot, all, others)
  const hash = await store.toolLists.put(list)
  const session = await store.sessions.get(scope.sessionId)
  const internal = { ...session?.internal, [listKey]: { run_id: scope.runId, hash } }
  await store.sessions.patch(scope.sessionId, { internal })
  await reportUnlisted(deps, scope, cutServers(all, list))
  keep(store, scope.runId, list)
  return list
}

/** Returns the names of the tools of MCP servers in the list of a run; none before its first request. */
export const fixedNames = async (deps: Pick<AgentDependencies, "store">, scope: Scope): Promise<readonly string[]> =>
  ((await fixedList(deps, scope)) ?? []).map(({ name }) => name)
