import { setTimeout as delay } from "node:timers/promises"
import { asyncLocalStorage, CancelledFailure } from "@temporalio/activity"
import { isOutage, outageDelayMs } from "../domain/engine/outage-policy.ts"
import type { Store } from "../store/store.ts"
import { callSignal } from "./running-calls.ts"

/** Returns the signal of an activity that sends heartbeats; undefined for all other callers, which are retried as a whole. */
const patientSignal = (): AbortSignal | undefined => {
  const context = asyncLocalStorage.getStore()
  return context === undefined || context.info.isLocal || context.info.heartbeatTimeoutMs === undefined
    ? undefined
    : callSignal()
}

const waitFor = async (ms: number, signal: AbortSignal): Promise<void> => {
  try {
    await delay(ms, undefined, { signal })
  } catch {
    throw new CancelledFailure(signal.reason instanceof Error ? signal.reason.message : "cancelled")
  }
}

/** Repeats one store call until the store is back, or the activity is cancelled or stopped. */
const outlast = async <T>(call: () => Promise<T>): Promise<T> => {
  for (let failures = 1; ; failures += 1) {
    try {
      return await call()
    } catch (error) {
      const signal = patientSignal()
      if (signal === undefined || !isOutage(error)) throw error
      await waitFor(outageDelayMs(failures), signal)
    }
  }
}

const isPart = (value: unknown): value is object => typeof value === "object" && value !== null

const patientPart = (part: object): object =>
  new Proxy(part, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name)
      if (typeof value !== "function" || name === "follow") return value
      return (...args: readonly unknown[]) => outlast(async () => (await Reflect.apply(value, target, args)) as unknown)
    },
  })

/**
 * Returns the same store, whose calls wait for the end of an outage where the caller is an activity with heartbeats. A call can take effect twice if its
 * answer was lost: rows are fenced by the attempt, so that the second time changes nothing.
 */
export const outlastOutages = (store: Store): Store =>
  new Proxy(store, {
    get(target, name) {
      if (name === "transaction") {
        const transaction: Store["transaction"] = (body, outlasts) => outlast(() => target.transaction(body, outlasts))
        return transaction
      }
      const value: unknown = Reflect.get(target, name)
      return isPart(value) ? patientPart(value) : value
    },
  })
