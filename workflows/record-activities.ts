import type { RecordActivities } from "../activities/contract/agent-activities.ts"
import type { BindingActivities } from "../activities/contract/binding-activities.ts"
import type { DelegationActivities } from "../activities/contract/delegation-activities.ts"
import type { DeliveryActivities } from "../activities/contract/delivery-activities.ts"
import type { LaneActivities } from "../activities/contract/lane-activities.ts"
import { recordOptions } from "./activity-options.ts"
import { localActivitiesOf } from "./activities-of.ts"

type StoreActivities = RecordActivities &
  DelegationActivities &
  BindingActivities &
  LaneActivities &
  Pick<DeliveryActivities, "giveUpDelivery">

/** The short, repeatable reads and writes of the store, which run inside the workflow task. */
export const record = localActivitiesOf<StoreActivities>(recordOptions)
