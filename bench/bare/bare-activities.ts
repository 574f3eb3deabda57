import type { Tally } from "../figures/tally.ts"

export interface BareActivities {
  empty(): Promise<void>
  /** The activity that an update lets run. */
  approved(): Promise<void>
}

export const createBareActivities = (approvals?: Pick<Tally, "add">): BareActivities => ({
  empty: async () => undefined,
  approved: async () => approvals?.add(),
})
