import type { Status } from "../../contracts/status.ts"
import { isFinal } from "../run/is-final.ts"
import { durationText } from "../text/figures.ts"

interface Labelled {
  readonly id: string
  readonly status: Status
  readonly createdAt: string
}

const mostShown = 10

/** Returns the sessions that a label can mean: the open ones, or all if none is open. */
export const meantByLabel = <Row extends Labelled>(rows: readonly Row[]): readonly Row[] => {
  const open = rows.filter(({ status }) => !isFinal(status))
  return open.length > 0 ? open : rows
}

/** Returns the refusal of a label that several sessions have: each with its status and age, newest first. */
export const ambiguousLabelText = (label: string, rows: readonly Labelled[], nowMs: number): string => {
  const newest = rows.toSorted((left, right) => right.createdAt.localeCompare(left.createdAt)).slice(0, mostShown)
  const shown = newest.map(
    ({ id, status, createdAt }) => `${id} (${status}, ${durationText(Math.max(0, nowMs - Date.parse(createdAt)))} old)`,
  )
  const more = rows.length > newest.length ? " and more" : ""
  return `the label ${label.slice(0, 100)} names several tasks: ${shown.join(", ")}${more}; name one by its id`
}
