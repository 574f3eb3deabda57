import type { AdjutantError } from "../../contracts/adjutant-error.ts"

/** Why a child is not started. `forbidden`: a rule that applies to the caller; `error`: the call itself cannot be carried out. */
export interface SpawnRefusal {
  readonly status: "forbidden" | "error"
  readonly error: string
  /** What is in the way, if the caller can do something about it; `arguments`: those of the call. */
  readonly about?: "arguments" | "places" | "depth"
}

const forbidden = (error: string, about?: SpawnRefusal["about"]): SpawnRefusal => ({
  ...{ status: "forbidden", error },
  ...(about === undefined ? {} : { about }),
})
const impossible = (error: string): SpawnRefusal => ({ status: "error", error })

/** Returns the refusal of a start that failed as expected. */
export const spawnRefusal = ({ code, message }: Pick<AdjutantError, "code" | "message">): SpawnRefusal => ({
  ...{ status: code === "forbidden" ? "forbidden" : "error", error: message },
  ...(code === "invalid_argument" || code === "tool_not_found" ? { about: "arguments" as const } : {}),
})

export const depthRefusal = (depth: number, maxDepth: number): SpawnRefusal =>
  forbidden(`sessions_spawn is not allowed at this depth (current depth: ${depth}, max: ${maxDepth})`, "depth")

export const childrenRefusal = (active: number, max: number): SpawnRefusal =>
  forbidden(`sessions_spawn has reached max active children for this session (${active}/${max})`, "places")

export const agentRefusal = (allowed: readonly string[]): SpawnRefusal =>
  forbidden(`agentId is not allowed for sessions_spawn (allowed: ${allowed.join(", ") || "none"})`)

export const agentIdRequired: SpawnRefusal = forbidden(
  "sessions_spawn requires an agentId here: call agents_list to see which are allowed",
)

/** Returns the refusal of a spawn whose sandbox is not available; `reason` says why. */
export const sandboxRequiredRefusal = (reason: string): SpawnRefusal =>
  forbidden(
    `sandbox: "require" needs a sandbox for the child, and none is available (${reason}): omit sandbox, or set security.sandbox`,
  )

export const sessionModeRefusal: SpawnRefusal = impossible(
  'mode: "session" needs thread: true, so that the sub-agent can stay bound to a thread',
)

const threadRefusal: SpawnRefusal = impossible(
  "thread: true needs a channel with thread bindings, and the requester has none: omit thread and mode",
)

const threadNotAllowed: SpawnRefusal = impossible(
  "thread: true is not allowed in the requester's channel (threadBindings.spawnSubagentSessions is false): omit thread and mode",
)

/** Returns the profiles that a requester may spawn: with `[]` only its own, with `*` any. */
export const allowedAgents = (
  allowAgents: readonly string[],
  requesterAgent: string,
  known: readonly string[],
): readonly string[] => {
  if (allowAgents.includes("*")) return known
  return allowAgents.length === 0 ? [requesterAgent] : known.filter((name) => allowAgents.includes(name))
}

/** The caller's position in its tree, and the limits on its children. */
export interface SpawnPlace {
  readonly depth: number
  readonly maxDepth: number
  readonly activeChildren: number
  readonly maxChildren: number
}

/** Returns the refusal due to depth or number of children, the same for every family of tools; undefined if there is none. */
export const refuseByPlace = (place: SpawnPlace): SpawnRefusal | undefined => {
  if (place.depth >= place.maxDepth) return depthRefusal(place.depth, place.maxDepth)
  return place.activeChildren >= place.maxChildren
    ? childrenRefusal(place.activeChildren, place.maxChildren)
    : undefined
}

/** What `sessions_spawn` asks for, apart from the position in the tree. */
export interface SpawnArguments {
  readonly agentId: string | undefined
  readonly allowed: readonly string[]
  readonly requireAgentId: boolean
  readonly thread: boolean
  readonly mode: "run" | "session" | undefined
  /** Whether the requester has a channel, and whether that gives threads to sub-agents. */
  readonly channel: "none" | "closed" | "open"
}

/** Returns the refusal due to the arguments, checked in the order in which a caller can correct them; undefined if there is none. */
export const refuseByArguments = (spawn: SpawnArguments): SpawnRefusal | undefined => {
  if (spawn.mode === "session" && !spawn.thread) return sessionModeRefusal
  if (spawn.agentId === undefined && spawn.requireAgentId) return agentIdRequired
  if (spawn.agentId !== undefined && !spawn.allowed.includes(spawn.agentId)) return agentRefusal(spawn.allowed)
  if (!spawn.thread || spawn.channel === "open") return undefined
  return spawn.channel === "closed" ? threadNotAllowed : threadRefusal
}
