import type { LaneQueue } from "./lane-queue.ts"

const maxShown = 20

const list = (ids: readonly { readonly workflowId: string }[]): readonly string[] => [
  ...ids.slice(0, maxShown).map(({ workflowId }, index) => `${index + 1}. \`${workflowId}\``),
  ...(ids.length > maxShown ? [`… and ${ids.length - maxShown} more`] : []),
]

/** What an operator reads of the lane in the engine's own UI. */
export const laneDetails = ({ capacity, holders, queued }: LaneQueue): string =>
  [
    `**Slots:** ${holders.length} of ${capacity === 0 ? "any number" : capacity} taken · ${queued.length} queued`,
    ...(holders.length === 0 ? [] : ["", "**At work:**", ...list(holders)]),
    ...(queued.length === 0 ? [] : ["", "**Queued:**", ...list(queued)]),
  ].join("\n")
