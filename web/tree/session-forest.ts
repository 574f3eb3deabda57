import type { Session } from "../../contracts/session/session.ts"

export interface TreeRow {
  readonly session: Session
  readonly level: number
  readonly position: number
  readonly setSize: number
  readonly childCount: number
  readonly isOpen: boolean
}

export interface Group {
  readonly name: string
  readonly rows: readonly TreeRow[]
}

const groupNames = ["Needs you", "Running", "Recent", "Without a message"] as const

const rankOf = ({ id, status, run_id: runId }: Session, needsYou: ReadonlySet<string>): number => {
  if (needsYou.has(id) || status === "paused") return 0
  if (status === "pending" && runId === null) return 3
  return status === "running" || status === "pending" ? 1 : 2
}

/** Children of sessions with more than this are folded until they are opened. */
const mostOpen = 12

/**
 * Returns sessions as trees in groups: a tree is where the session is that needs a person most. `toggled` are sessions that a person opened or closed.
 */
export const forestOf = (
  sessions: readonly Session[],
  { needsYou, toggled }: { readonly needsYou: ReadonlySet<string>; readonly toggled: ReadonlySet<string> },
): readonly Group[] => {
  const known = new Set(sessions.map(({ id }) => id))
  const isRoot = ({ parent_session_id: parent }: Session) => parent === null || !known.has(parent)
  const childrenOf = Map.groupBy(
    sessions.filter((session) => !isRoot(session)).toReversed(),
    (each) => each.parent_session_id,
  )
  const rank = (session: Session): number =>
    Math.min(rankOf(session, needsYou), ...(childrenOf.get(session.id) ?? []).map(rank))
  const rowsOf = (siblings: readonly Session[], level: number): readonly TreeRow[] =>
    siblings.flatMap((session, index) => {
      const children = childrenOf.get(session.id) ?? []
      const isOpen = children.length > 0 && children.length <= mostOpen !== toggled.has(session.id)
      const row = { session, level, position: index + 1, setSize: siblings.length, childCount: children.length, isOpen }
      return [row, ...(isOpen ? rowsOf(children, level + 1) : [])]
    })
  const roots = Map.groupBy(sessions.filter(isRoot), rank)
  return groupNames.flatMap((name, index) => {
    const own = roots.get(index) ?? []
    return own.length === 0 ? [] : [{ name, rows: rowsOf(own, 1) }]
  })
}
