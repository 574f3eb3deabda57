import { ActivityFailure, ApplicationFailure, isCancellation, sleep, TimeoutFailure } from "@temporalio/workflow"
import type { RunStoreActivities } from "../activities/contract/agent-activities.ts"
import type { BindingActivities } from "../activities/contract/binding-activities.ts"
import type { BlockedActivities } from "../activities/contract/blocked-activities.ts"
import type { DelegationActivities } from "../activities/contract/delegation-activities.ts"
import type { DeliveryActivities } from "../activities/contract/delivery-activities.ts"
import type { LaneActivities } from "../activities/contract/lane-activities.ts"
import { outageDelayMs } from "../domain/engine/outage-policy.ts"
import { activitiesOf, localActivitiesOf } from "./activities-of.ts"
import { delayedStoreOptions, storeOptionsInTask } from "./activity-options.ts"
import { isNotPickedUp } from "./is-not-picked-up.ts"

type StoreActivities = RunStoreActivities &
  BlockedActivities &
  DelegationActivities &
  BindingActivities &
  LaneActivities &
  Pick<DeliveryActivities, "giveUpDelivery">

type Activity = (...args: readonly unknown[]) => Promise<unknown>
type Activities = Readonly<Record<string, Activity>>

const inTask: Activities = localActivitiesOf<Record<string, Activity>>(storeOptionsInTask)
const onWorker: Activities = activitiesOf<Record<string, Activity>>(delayedStoreOptions)

/** Whether another try can succeed: the store or the engine was unavailable, or a bug will be fixed. */
const isWorthRepeating = (error: unknown): boolean => {
  if (isCancellation(error)) return false
  const cause = error instanceof ActivityFailure ? error.cause : error
  return cause instanceof TimeoutFailure || (cause instanceof ApplicationFailure && cause.nonRetryable !== true)
}

/** Returns undefined if it failed and another try can succeed. */
const tryOnce = async (
  activity: Activity,
  args: readonly unknown[],
): Promise<{ readonly result: unknown } | undefined> => {
  try {
    return { result: await activity(...args) }
  } catch (error) {
    if (isWorthRepeating(error) || isNotPickedUp(error)) return undefined
    throw error
  }
}

const callUntilDone = async (name: string, args: readonly unknown[]): Promise<unknown> => {
  const activityOf = (activities: Activities): Activity => {
    const activity = activities[name]
    if (activity === undefined) throw new Error(`there is no activity ${name}`)
    return activity
  }
  // Never spins: each round ends with a timer. A second round is needed only if no worker took the activity, or the store was away for long.
  for (let round = 1; ; round += 1) {
    const done = (await tryOnce(activityOf(inTask), args)) ?? (await tryOnce(activityOf(onWorker), args))
    if (done !== undefined) return done.result
    await sleep(outageDelayMs(round + 2))
  }
}

/**
 * The activities that only read and write the store: short, and safe to repeat. `storeActivities.openRun(input)` calls the activity of that name.
 *
 * A call runs inside the workflow task, as a local activity, which costs no round trip. If it fails there, it continues as an ordinary activity, because a
 * local one keeps its task slot while it waits for its next attempt. It is tried until the store is back; only a cancel or a bug ends it.
 */
export const storeActivities: StoreActivities =
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- every property is the activity of that name
  new Proxy(
    {},
    {
      get:
        (_, name) =>
        (...args: readonly unknown[]) =>
          callUntilDone(String(name), args),
    },
  ) as StoreActivities
