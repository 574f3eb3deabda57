import type { RunSnapshot } from "../../../contracts/run-snapshot.ts"
import { toolsUnlistedOrdinal } from "../../../domain/run/run-event-ordinals.ts"
import { cutServers, cutServersText, listedTools } from "../../../domain/tools/search/listed-tools.ts"
import { isAllowedTool, mcpServerOf } from "../../../domain/tools/tool-names.ts"
import type { ToolSpec } from "../../../models/model-provider.ts"
import type { NewEvent, SessionRow, Store } from "../../../store/store.ts"
import type { AgentDependencies } from "../../agent-dependencies.ts"
import type { RunScope } from "../../contract/run-scope.ts"
import type { OfferedTools } from "./offered-tools.ts"
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

const unlistedEvent = ({ runId }: Scope, shares: ReturnType<typeof cutServers>): readonly NewEvent[] => {
  if (shares.length === 0) return []
  const data = { servers: shares, message: cutServersText(shares) }
  return [{ type: "tools-unlisted", runId, ordinal: toolsUnlistedOrdinal, data }]
}

/**
 * Fixes the list of a run, and returns the hash of what it is now: a stalled attempt finds another one that has fixed it. Writes nothing for a run that is not
 * the session's present one.
 */
const fix = (
  { store }: Pick<AgentDependencies, "store">,
  scope: Scope,
  list: { readonly hash: string; readonly shares: ReturnType<typeof cutServers> },
): Promise<string> =>
  store.transaction(async (writes) => {
    const { sessionId, runId } = scope
    const session = await writes.sessions.locked(sessionId)
    if (session?.runId !== runId) return list.hash
    const fixed = hashOf(session, runId)
    if (fixed !== undefined) return fixed
    const internal = { ...session.internal, [listKey]: { run_id: runId, hash: list.hash } }
    await writes.events.append(sessionId, unlistedEvent(scope, list.shares), { internal })
    return list.hash
  }, "crash")

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
  const own = listedTools(snapshot, all, others)
  const hash = await store.toolLists.put(own)
  const fixedHash = await fix(deps, scope, { hash, shares: cutServers(all, own) })
  const list = fixedHash === hash ? own : ((await store.toolLists.get(fixedHash)) ?? own)
  keep(store, scope.runId, list)
  return list
}

/** Returns the names of the tools of MCP servers in the list of a run; none before its first request. */
export const fixedNames = async (deps: Pick<AgentDependencies, "store">, scope: Scope): Promise<readonly string[]> =>
  ((await fixedList(deps, scope)) ?? []).map(({ name }) => name)
