export interface LogBounds {
  readonly firstId: number
  readonly lastId: number
}

/** Where a reader starts. `isGone`: its cursor is of something that is no longer there. */
export interface StartPosition {
  readonly after: number
  readonly isGone: boolean
}

/** A cursor below the oldest event or above the newest one is gone: what is there follows from its beginning, and nothing is skipped silently. */
export const startPosition = (
  { cursor, live }: { readonly cursor: number | undefined; readonly live: boolean },
  { firstId, lastId }: LogBounds,
): StartPosition => {
  const beginning = firstId - 1
  if (cursor === undefined) return { after: live ? lastId : beginning, isGone: false }
  const isGone = cursor < beginning || cursor > lastId
  return { after: isGone ? beginning : cursor, isGone }
}
