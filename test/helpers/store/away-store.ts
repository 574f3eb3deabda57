import { asyncLocalStorage } from "@temporalio/activity"
import { AdjutantError } from "../../../contracts/adjutant-error.ts"
import type { Store } from "../../../store/store.ts"
import { wrapStore } from "./wrap-store.ts"

/** A store call that an activity makes. Calls inside a transaction are not calls of their own: the transaction fails or succeeds as a whole. */
export interface StoreCall {
  readonly activity: string
  /** Of the workflow that the activity belongs to. */
  readonly workflowId: string
  readonly method: string
  /** JSON of the arguments. */
  readonly args: string
}

/** `before`: the call has no effect. `after`: it takes effect, and its answer is lost. */
export type Failure = "before" | "after" | undefined

/**
 * Returns a store whose calls by activities fail as the test decides, call by call. Calls that belong to no activity, as those of the test and of the
 * worker itself, never fail.
 */
export const createAwayStore = (store: Store, decide: (call: StoreCall) => Failure): Store => {
  return wrapStore(store, async (method, args, call) => {
    const info = asyncLocalStorage.getStore()?.info
    if (info === undefined) return await call()
    const { activityType: activity, workflowExecution } = info
    const made = { activity, workflowId: workflowExecution?.workflowId ?? "", method, args: JSON.stringify(args) }
    const failure = decide(made)
    const away = new AdjutantError("storage_failed", `the disk is full (${activity}: ${method})`)
    if (failure === "before") throw away
    const result = await call()
    if (failure === "after") throw away
    return result
  })
}
