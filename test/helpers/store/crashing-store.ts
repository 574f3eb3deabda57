import type { Store } from "../../../store/store.ts"
import type { CrashPoint } from "../worker/worker-order.ts"
import { wrapStore } from "./wrap-store.ts"

const never = new Promise<never>(() => undefined)

/** Exits without clean-up or flush, as when the machine loses power, except that the file system survives. */
const crash = (): Promise<never> => {
  process.kill(process.pid, "SIGKILL")
  return never
}

/** Returns a store whose process is killed right before or right after one of its writes. */
export const createCrashingStore = (store: Store, point: CrashPoint): Store => {
  let seen = 0
  return wrapStore(store, async (method, args, call) => {
    if (method !== point.method || !JSON.stringify(args).includes(point.containing)) return await call()
    seen += 1
    if (seen !== point.nth) return await call()
    if (point.when === "before") return await crash()
    await call()
    return await crash()
  })
}
