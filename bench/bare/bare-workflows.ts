import { condition, defineUpdate, proxyActivities, setHandler } from "@temporalio/workflow"
import type { BareActivities } from "./bare-activities.ts"

const { empty, approved } = proxyActivities<BareActivities>({ startToCloseTimeout: "1 minute" })

/** Executes the baseline of a step for each step: two activities, one after the other. */
export async function emptySteps(steps: number): Promise<void> {
  for (let step = 0; step < steps; step += 1) {
    await empty()
    await empty()
  }
}

export async function oneActivity(): Promise<void> {
  await empty()
}

export const goUpdate = defineUpdate<void>("go")

/** Waits for an update, then runs one activity. */
export async function oneActivityAfterUpdate(): Promise<void> {
  let mayContinue = false
  setHandler(goUpdate, () => {
    mayContinue = true
  })
  await condition(() => mayContinue)
  await empty()
}

/** Does what an approved session does: the approved activity, then one for the next model turn. */
export async function twoActivitiesAfterUpdate(): Promise<void> {
  let mayContinue = false
  setHandler(goUpdate, () => {
    mayContinue = true
  })
  await condition(() => mayContinue)
  await approved()
  await empty()
}
