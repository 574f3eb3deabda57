import type { Status } from "../../contracts/status.ts"

/** Every status has a shape of its own, so that it can be told without its colour. */
const shapes: Readonly<Record<Status, string>> = {
  pending: "M8 2.5a5.5 5.5 0 1 1 0 11a5.5 5.5 0 0 1 0-11Z",
  running: "M5 3l8 5-8 5Z",
  paused: "M8 1.5l6.5 6.5-6.5 6.5L1.5 8ZM8 5v3.5M8 10.5v.8",
  completed: "M2.5 8.5l3.5 4 7.5-9",
  failed: "M3 3l10 10M13 3L3 13",
  timed_out: "M8 2.5a5.5 5.5 0 1 1 0 11a5.5 5.5 0 0 1 0-11ZM8 5v3.2l2.2 1.6",
  cancelled: "M3 8h10",
}

const filled: ReadonlySet<Status> = new Set(["running"])

/** The mark of a status. The text next to it says the same. */
export const StatusMark = ({ status }: { readonly status: Status }) => (
  <svg class={`mark ${status} ${filled.has(status) ? "filled" : ""}`} viewBox="0 0 16 16" aria-hidden="true">
    <path d={shapes[status]} />
  </svg>
)
