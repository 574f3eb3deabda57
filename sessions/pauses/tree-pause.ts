import { digitsOf } from "../session-id.ts"
import { descendantsOf } from "../rows/session-tree.ts"
import type { PauseRow, Store } from "../../store/store.ts"

/** What was shown of a tree under one checkpoint: every pause that was open then. */
export interface TreePause {
  /** The session whose document showed it. */
  readonly sessionId: string
  readonly pauses: readonly PauseRow[]
}

const form = /^cp_tree_([a-z0-9]+)_[a-z0-9]{24}$/

/**
 * Returns the checkpoint of these pauses together. It is derived from theirs, so nobody can guess it either, and every reader of the same pauses gets the
 * same one, without writing anything.
 */
export const treeCheckpointOf = (sessionId: string, pauses: readonly Pick<PauseRow, "checkpointId">[]): string => {
  const ids = pauses.map(({ checkpointId }) => checkpointId).toSorted()
  return `cp_tree_${sessionId}_${digitsOf(JSON.stringify([sessionId, ...ids])).slice(-24)}`
}

/** Returns whether an id has the form of a tree's checkpoint. */
export const isTreeCheckpoint = (id: string): boolean => form.test(id)

/** Returns the name of a call in a tree, where two sessions can have calls with the same id. */
export const nameInTree = ({ sessionId }: Pick<PauseRow, "sessionId">, callId: string): string =>
  `${sessionId}/${callId}`

/** Returns the pauses that were open together, each set once, the latest first. */
const openTogether = (pauses: readonly PauseRow[]): readonly (readonly PauseRow[])[] => {
  const times = new Set(
    pauses.flatMap(({ openedAt, closedAt }) => [openedAt, ...(closedAt === null ? [] : [closedAt])]),
  )
  return [...times]
    .toSorted()
    .toReversed()
    .map((at) => pauses.filter(({ openedAt, closedAt }) => openedAt <= at && (closedAt === null || closedAt > at)))
}

/** Returns what a checkpoint of a tree showed; undefined if it is none. The store keeps every pause with the times at which it was open. */
export const findTreePause = async (
  store: Pick<Store, "sessions" | "pauses">,
  checkpointId: string,
): Promise<TreePause | undefined> => {
  const sessionId = form.exec(checkpointId)?.[1]
  const row = sessionId === undefined ? undefined : await store.sessions.get(sessionId)
  if (row === undefined || row.deletedAt !== null) return undefined
  const ids = new Set([row.id, ...(await descendantsOf(store, row)).map(({ id }) => id)])
  const all = (await store.pauses.ofTree(row.rootId)).filter((pause) => ids.has(pause.sessionId))
  const pauses = openTogether(all).find((open) => treeCheckpointOf(row.id, open) === checkpointId)
  return pauses === undefined ? undefined : { sessionId: row.id, pauses }
}

/** Returns the session that a checkpoint, of one pause or of a tree, belongs to. */
export const sessionOfCheckpoint = async (
  store: Pick<Store, "sessions" | "pauses">,
  checkpointId: string,
): Promise<string | undefined> =>
  (await store.pauses.byCheckpoint(checkpointId))?.sessionId ?? (await findTreePause(store, checkpointId))?.sessionId
