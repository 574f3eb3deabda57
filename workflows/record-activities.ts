import { ActivityFailure, ApplicationFailure, isCancellation, sleep, TimeoutFailure } from "@temporalio/workflow"
import type { RecordActivities } from "../activities/contract/agent-activities.ts"
import type { BindingActivities } from "../activities/contract/binding-activities.ts"
import type { BlockedActivities } from "../activities/contract/blocked-activities.ts"
import type { DelegationActivities } from "../activities/contract/delegation-activities.ts"
import type { DeliveryActivities } from "../activities/contract/delivery-activities.ts"
import type { LaneActivities } from "../activities/contract/lane-activities.ts"
import { outageDelayMs } from "../domain/engine/outage-policy.ts"
import { activitiesOf, localActivitiesOf } from "./activities-of.ts"
import { delayedRecordOptions, recordOptions } from "./activity-options.ts"
import { isNotPickedUp } from "./is-not-picked-up.ts"

type StoreActivities = RecordActivities &
  BlockedActivities &
  DelegationActivities &
  BindingActivities &
  LaneActivities &
  Pick<DeliveryActivities, "giveUpDelivery">

type Activity = (...args: readonly unknown[]) => Promise<unknown>
type Activities = Readonly<Record<string, Activity>>

const inTask: Activities = localActivitiesOf<Record<string, Activity>>(recordOptions)
const onWorker: Activities = activitiesOf<Record<string, Activity>>(delayedRecordOptions)

/** Whether another try can succeed: the store or the engine was unavailable, or a bug will be fixed. */
const isWorthRepeating = (error: unknown): boolean => {
  if (isCancellation(error)) return false
  const cause = error instanceof ActivityFailure ? error.cause : error
  return cause instanceof TimeoutFailure || (cause instanceof ApplicationFailure && cause.nonRetryable !== true)
}

/** Returns undefined where it failed and another try can succeed. */
const tryRecord = async (
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

const writeRecord = async (name: string, args: readonly unknown[]): Promise<unknown> => {
  const activityOf = (activities: Activities): Activity => {
    const activity = activities[name]
    if (activity === undefined) throw new Error(`there is no activity ${name}`)
    return activity
  }
  // Never spins: each round ends with a timer. A second one is needed only where no worker takes the activity, as those of `adjutant run`.
  for (let round = 1; ; round += 1) {
    const done = (await tryRecord(activityOf(inTask), args)) ?? (await tryRecord(activityOf(onWorker), args))
    if (done !== undefined) return done.result
    await sleep(outageDelayMs(round + 2))
  }
}

/**
 * The short, repeatable reads and writes of the store. They run inside the workflow task; one that fails there continues as an ordinary activity, which
 * occupies no task slot between its attempts.
 */
export const record: StoreActivities =
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- every property is the activity of that name
  new Proxy(
    {},
    {
      get:
        (_, name) =>
        (...args: readonly unknown[]) =>
          writeRecord(String(name), args),
    },
  ) as StoreActivities
