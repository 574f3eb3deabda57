import {
  condition,
  defineUpdate,
  proxyActivities,
  proxyLocalActivities,
  setHandler,
  upsertSearchAttributes,
} from "@temporalio/workflow"
import { defineSearchAttributeKey, SearchAttributeType } from "@temporalio/common"
import type { BareActivities } from "./bare-activities.ts"

const { empty, approved } = proxyActivities<BareActivities>({ startToCloseTimeout: "1 minute" })

/** Executes the baseline of a step for each step: two activities, one after the other. */
export async function emptySteps(steps: number): Promise<void> {
  for (let step = 0; step < steps; step += 1) {
    await empty()
    await empty()
  }
}

const { empty: emptyInTask } = proxyLocalActivities<BareActivities>({ startToCloseTimeout: "1 minute" })
const agentStatus = defineSearchAttributeKey("AgentStatus", SearchAttributeType.KEYWORD)

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

/** Shows the status and verifies who decided, in a local activity, before the activity runs, as a decision requires. */
export async function recordedActivityAfterUpdate(): Promise<void> {
  let mayContinue = false
  setHandler(goUpdate, () => {
    mayContinue = true
  })
  upsertSearchAttributes([{ key: agentStatus, value: "paused" }])
  await condition(() => mayContinue)
  upsertSearchAttributes([{ key: agentStatus, value: "running" }])
  await emptyInTask()
  await empty()
}

/** Runs the approved activity, then one for the next model turn, as an approved session does. */
export async function twoActivitiesAfterUpdate(): Promise<void> {
  let mayContinue = false
  setHandler(goUpdate, () => {
    mayContinue = true
  })
  await condition(() => mayContinue)
  await approved()
  await empty()
}
