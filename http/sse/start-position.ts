export interface LogBounds {
  readonly firstId: number
  readonly lastId: number
}

/** Where a client starts to read. `isGone`: its cursor refers to events that no longer exist. */
export interface StartPosition {
  readonly after: number
  readonly isGone: boolean
}

/** Returns where a client starts to read. A cursor below the oldest event or above the newest one is gone: the client then gets all events. */
export const startPosition = (
  { cursor, live }: { readonly cursor: number | undefined; readonly live: boolean },
  { firstId, lastId }: LogBounds,
): StartPosition => {
  const beginning = firstId - 1
  if (cursor === undefined) return { after: live ? lastId : beginning, isGone: false }
  const isGone = cursor < beginning || cursor > lastId
  return { after: isGone ? beginning : cursor, isGone }
}
