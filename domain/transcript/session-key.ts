/** The parts of a session's key: its profile and its place in its tree. */
export interface SessionKeyParts {
  readonly agentId: string
  /** 0 for a session that a person or a program started. */
  readonly depth: number
  /** Ids of the sub-agents on the way down, the session's own last; of a session at depth 0 just its own. */
  readonly ids: readonly string[]
}

/** Key of a session at depth 0. */
export const mainSessionKey = (agentId: string, id: string): string => `agent:${agentId}:main:${id}`

/** Key of a child: its own profile, and one more `:subagent:<id>` than its parent. A parent at depth 0 adds nothing of its own. */
export const childSessionKey = (agentId: string, parentKey: string, id: string): string => {
  const parent = parseSessionKey(parentKey)
  const ancestors = parent === undefined || parent.depth === 0 ? [] : parent.ids
  return `agent:${agentId}${[...ancestors, id].map((each) => `:subagent:${each}`).join("")}`
}

const mainKey = /^agent:([^:]+):main:([^:]+)$/
const subagentKey = /^agent:([^:]+)((?::subagent:[^:]+)+)$/

/** Undefined for what is no session key. */
export const parseSessionKey = (key: string): SessionKeyParts | undefined => {
  const main = mainKey.exec(key)
  if (main?.[1] !== undefined && main[2] !== undefined) return { agentId: main[1], depth: 0, ids: [main[2]] }
  const child = subagentKey.exec(key)
  if (child?.[1] === undefined || child[2] === undefined) return undefined
  const ids = child[2].split(":subagent:").slice(1)
  return { agentId: child[1], depth: ids.length, ids }
}
