import { chooseLabelled, type Labelled } from "./choose-labelled.ts"

/** The names of a session that is below another one. */
export interface NamedSession extends Labelled {
  readonly parentId: string | null
  readonly number: number | null
  readonly label: string | null
  readonly sessionKey: string
}

export interface NamedBelow {
  readonly parentId: string
  readonly target: string
  readonly nowMs: number
}

/**
 * Returns the session below another that a target names: by id or key, or, for a sub-agent of its own, by `#n` or label. A label that a sub-agent gives
 * to one of its own does not match. `below`: all sessions below it.
 * @throws AdjutantError `target_ambiguous` if several sub-agents have the label
 */
export const findBelow = <Row extends NamedSession>(
  below: readonly Row[],
  { parentId, target, nowMs }: NamedBelow,
): Row | undefined => {
  const own = below.filter((row) => row.parentId === parentId)
  const number = Number(/^#(\d+)$/.exec(target)?.[1])
  return (
    below.find((row) => row.id === target || row.sessionKey === target) ??
    own.find((row) => row.number === number) ??
    chooseLabelled(
      target,
      own.filter((row) => row.label === target),
      nowMs,
    )
  )
}
