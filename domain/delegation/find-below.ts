/** The names of a session that is below another one. */
export interface NamedSession {
  readonly id: string
  readonly parentId: string | null
  readonly number: number | null
  readonly label: string | null
  readonly sessionKey: string
}

/**
 * Returns the session below another that a target names: by id or key, or, for a sub-agent of its own, by label, the newest first, or `#n`. A label
 * that a sub-agent gives to one of its own does not match. `below`: all sessions below it, oldest first.
 */
export const findBelow = <Row extends NamedSession>(
  below: readonly Row[],
  parentId: string,
  target: string,
): Row | undefined => {
  const number = Number(/^#(\d+)$/.exec(target)?.[1])
  return below.findLast(
    (row) =>
      row.id === target ||
      row.sessionKey === target ||
      (row.parentId === parentId && (row.label === target || row.number === number)),
  )
}
