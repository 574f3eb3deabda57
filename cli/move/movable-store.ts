import path from "node:path"
import { foreignProgramsOf } from "../../domain/run/foreign-programs.ts"
import type { MovedPath } from "../../domain/run/moved-paths.ts"
import { openStore } from "../../store/open-store.ts"
import type { Store } from "../../store/store.ts"
import { wrongUsage } from "../program/wrong-usage.ts"

/** Opens the store of a data directory that no other process uses, works with it, and closes it in every case. */
export const withMovable = async <T>(dataDir: string, use: (store: Store) => Promise<T>): Promise<T> => {
  const store = await openStore({ url: "sqlite:", dataDir })
  try {
    return await use(store)
  } finally {
    await store.close()
  }
}

const maxPrograms = 100

/** Returns what the person is shown of a data directory, one line each. Refuses what cannot be moved. */
export const describeContents = async (dataDir: string, moved: readonly MovedPath[]): Promise<readonly string[]> => {
  const contents = await withMovable(dataDir, ({ moves }) => moves.contents())
  const [worktree] = contents.openWorktrees
  if (worktree !== undefined)
    throw wrongUsage(`task ${worktree} works in a worktree: let it end, or cancel it, before the move`)
  const programs = [...new Set(contents.snapshots.flatMap(foreignProgramsOf))]
  const statuses = Object.entries(contents.statuses).map(([status, count]) => `${count} ${status}`)
  const further = programs.length - maxPrograms
  return [
    `tasks: ${statuses.length === 0 ? "none" : statuses.join(", ")}`,
    ...(contents.grants === 0 ? [] : [`grants, which end: ${contents.grants}`]),
    ...moved.map(({ from, to }) => `directories below ${from} become those below ${to}`),
    ...programs.slice(0, maxPrograms),
    ...(further > 0 ? [`and ${further} more programs, servers and hooks`] : []),
  ]
}

/** Returns the directories that are at another place now, the innermost first. */
export const movedPaths = (pairs: readonly (readonly [from: string | undefined, to: string])[]): readonly MovedPath[] =>
  pairs.flatMap(([from, to]) =>
    from === undefined || from === to || path.dirname(from) === from ? [] : [{ from, to }],
  )
