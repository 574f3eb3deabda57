import { AdjutantError } from "../../contracts/adjutant-error.ts"
import { bindingExpiresAtMs } from "../../domain/delivery/binding-expiry.ts"
import type { BindingRow } from "../../store/store.ts"
import type { SessionsContext } from "../sessions-context.ts"
import { requireSession } from "../rows/require-session.ts"
import { viewOf } from "../view-of.ts"
import { liveBinding } from "../delivery/live-binding.ts"

const fields = [
  ...(["session_id", "channel", "thread_key", "idle_ms", "max_age_ms", "bound_at", "active_at"] as const),
  "expires_at" as const,
]

/** Returns a binding as adapters show it. Durations in milliseconds; 0: it never expires for this reason. */
export const bindingView = (row: BindingRow) => {
  const end = bindingExpiresAtMs(row)
  return viewOf(fields, { row, computed: { expires_at: end === undefined ? null : new Date(end).toISOString() } })
}

export type BindingView = Readonly<ReturnType<typeof bindingView>>

/** Returns the row of a session's binding. @throws AdjutantError `session_not_found`, `thread_not_found` */
export const requireBinding = async (
  { store }: Pick<SessionsContext, "store">,
  sessionId: string,
): Promise<BindingRow> => {
  await requireSession(store, sessionId)
  const binding = await liveBinding(store, sessionId)
  if (binding === undefined)
    throw new AdjutantError("thread_not_found", `session ${sessionId} is not bound to a thread: focus it first`)
  return binding
}

/** Returns the binding of a session. @throws AdjutantError `session_not_found`, `thread_not_found` */
export const bindingOf = async (context: Pick<SessionsContext, "store">, sessionId: string): Promise<BindingView> =>
  bindingView(await requireBinding(context, sessionId))
