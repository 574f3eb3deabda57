import { bindingExpiresAtMs } from "../../domain/delivery/binding-expiry.ts"
import type { BindingRow, Store } from "../../store/store.ts"

/** Returns whether a binding has not expired: it does not expire under an open run, whose answer belongs to the thread. */
export const isLive = (binding: BindingRow, nowMs = Date.now()): boolean => {
  const end = bindingExpiresAtMs(binding)
  return binding.hasOpenRun || end === undefined || end > nowMs
}

/** Returns the session's binding; undefined if there is none or it has expired. */
export const liveBinding = async (
  store: Pick<Store, "bindings">,
  sessionId: string,
): Promise<BindingRow | undefined> => {
  const binding = await store.bindings.ofSession(sessionId)
  return binding !== undefined && isLive(binding) ? binding : undefined
}
