import type { Store } from "../../../store/store.ts"
import type { Death } from "../worker/worker-order.ts"
import { wrapStore } from "./wrap-store.ts"

const never = new Promise<never>(() => undefined)

/** Exits without clean-up or flush, as when the machine loses power, except that the file system survives. */
const die = (): Promise<never> => {
  process.kill(process.pid, "SIGKILL")
  return never
}

/** Returns a store whose process is killed right before or right after one of its writes. */
export const dyingStore = (store: Store, death: Death): Store => {
  let seen = 0
  return wrapStore(store, async (method, args, call) => {
    if (method !== death.method || !JSON.stringify(args).includes(death.containing)) return await call()
    seen += 1
    if (seen !== death.nth) return await call()
    if (death.when === "before") return await die()
    await call()
    return await die()
  })
}
