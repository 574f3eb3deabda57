import { AdjutantError } from "../../contracts/adjutant-error.ts"
import type { Status } from "../../contracts/status.ts"
import { isFinal } from "../run/is-final.ts"
import { durationText } from "../text/figures.ts"

/** A session that a label can name. */
export interface Labelled {
  readonly id: string
  readonly status: Status
  readonly createdAt: string
}

const mostShown = 10

const ambiguousText = (label: string, rows: readonly Labelled[], nowMs: number): string => {
  const newest = rows.toSorted((left, right) => right.createdAt.localeCompare(left.createdAt)).slice(0, mostShown)
  const shown = newest.map(
    ({ id, status, createdAt }) => `${id} (${status}, ${durationText(Math.max(0, nowMs - Date.parse(createdAt)))} old)`,
  )
  const more = rows.length > newest.length ? " and more" : ""
  return `the label ${label.slice(0, 100)} names several tasks: ${shown.join(", ")}${more}; name one by its id`
}

/**
 * Returns the session that a label means among those that have it: the open one, or the only ended one if none is open.
 * @throws AdjutantError `target_ambiguous`, with the id, status and age of each, newest first
 */
export const chooseLabelled = <Row extends Labelled>(
  label: string,
  rows: readonly Row[],
  nowMs: number,
): Row | undefined => {
  const open = rows.filter(({ status }) => !isFinal(status))
  const meant = open.length > 0 ? open : rows
  if (meant.length > 1) throw new AdjutantError("target_ambiguous", ambiguousText(label, meant, nowMs))
  return meant[0]
}
