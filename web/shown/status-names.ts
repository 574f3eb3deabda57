import type { Status } from "../../contracts/status.ts"

const names: Readonly<Record<Status, true>> = {
  pending: true,
  running: true,
  paused: true,
  completed: true,
  failed: true,
  cancelled: true,
  timed_out: true,
}

/** The statuses by which the list can be filtered. */
export const statusNames = (Object.keys(names) as readonly Status[]).toSorted() // oxlint-disable-line typescript/no-unsafe-type-assertion -- the keys are those of the record above
