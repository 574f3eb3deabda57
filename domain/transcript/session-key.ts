/** The parts of a session key: the profile and the position in the tree. */
export interface SessionKeyParts {
  readonly agentId: string
  /** 0 for a session that a person or a program started. */
  readonly depth: number
  /** Ids of the sub-agents from the root down, the session's own last; at depth 0 only its own. */
  readonly ids: readonly string[]
}

/** Returns the key of a session at depth 0. */
export const mainSessionKey = (agentId: string, id: string): string => `agent:${agentId}:main:${id}`

/** Returns the key of a child: its own profile, and one more `:subagent:<id>` than its parent. A parent at depth 0 adds no id. */
export const childSessionKey = (agentId: string, parentKey: string, id: string): string => {
  const parent = parseSessionKey(parentKey)
  const ancestors = parent === undefined || parent.depth === 0 ? [] : parent.ids
  return `agent:${agentId}${[...ancestors, id].map((each) => `:subagent:${each}`).join("")}`
}

const mainKey = /^agent:([^:]+):main:([^:]+)$/
const subagentKey = /^agent:([^:]+)((?::subagent:[^:]+)+)$/

/** Parses a session key; returns undefined if it is not one. */
export const parseSessionKey = (key: string): SessionKeyParts | undefined => {
  const main = mainKey.exec(key)
  if (main?.[1] !== undefined && main[2] !== undefined) return { agentId: main[1], depth: 0, ids: [main[2]] }
  const child = subagentKey.exec(key)
  if (child?.[1] === undefined || child[2] === undefined) return undefined
  const ids = child[2].split(":subagent:").slice(1)
  return { agentId: child[1], depth: ids.length, ids }
}
