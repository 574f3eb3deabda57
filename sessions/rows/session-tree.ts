import type { SessionRow, Store } from "../../store/store.ts"
import { sessionPages } from "./page.ts"

const wholeTree = async (store: Pick<Store, "sessions">, rootId: string): Promise<readonly SessionRow[]> => {
  const rows: SessionRow[] = []
  for await (const page of sessionPages(store, { rootId, includeArchived: true })) rows.push(...page)
  return rows
}

/** Returns all sessions below a session, or below `deleted` ones of its tree, that are not deleted, oldest first. */
export const descendantsOf = async (
  store: Pick<Store, "sessions">,
  row: SessionRow,
  deleted: readonly string[] = [],
): Promise<readonly SessionRow[]> => {
  const rest = (await wholeTree(store, row.rootId)).filter((other) => other.id !== row.id && other.deletedAt === null)
  const below = new Set([row.id, ...deleted])
  for (let before = 0; before !== below.size;) {
    before = below.size
    for (const other of rest) if (other.parentId !== null && below.has(other.parentId)) below.add(other.id)
  }
  return rest
    .filter((other) => below.has(other.id))
    .toSorted((left, right) => (left.createdAt < right.createdAt ? -1 : 1))
}
