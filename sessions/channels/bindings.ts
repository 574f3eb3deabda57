import { AdjutantError } from "../../contracts/adjutant-error.ts"
import { threadKeySchema } from "../../contracts/http/channels.ts"
import type { BindingRow } from "../../store/store.ts"
import type { Actor } from "../authority/actor.ts"
import type { Page } from "../view/page.ts"
import type { SessionsContext } from "../sessions-context.ts"
import { requireSession } from "../view/require-session.ts"
import { sendSignal } from "../../engine/send-update.ts"
import { type BindingView, bindingView } from "./binding-view.ts"
import { bindingSettings, chooseChannel, requireChannel } from "./channel-settings.ts"
import { isLive, liveBinding } from "./live-binding.ts"

export interface FocusRequest {
  readonly sessionId: string
  readonly threadKey: string
  /** Needed where several are configured. */
  readonly channel?: string
  readonly actor: Actor
}

/** Makes a session that stays open read its binding again. */
const signalBindingChange = async (context: SessionsContext, sessionId: string): Promise<void> => {
  try {
    await sendSignal(context, { sessionId, name: "binding", payload: {} })
  } catch (error) {
    context.logger.warn({ session_id: sessionId, error }, "the session hears of its binding when its timer fires")
  }
}

const audit = async (
  context: SessionsContext,
  row: BindingRow,
  entry: { readonly action: string; readonly actor: Actor },
) =>
  context.store.audit.record({
    sessionId: row.sessionId,
    runId: null,
    action: entry.action,
    ...entry.actor,
    detail: { channel: row.channel, thread_key: row.threadKey },
  })

const requireThreadKey = (text: string): string => {
  const parsed = threadKeySchema.safeParse(text)
  if (!parsed.success)
    throw new AdjutantError("invalid_argument", `thread: ${parsed.error.issues[0]?.message ?? "is no thread key"}`)
  return parsed.data
}

const requireBinding = async ({ store }: SessionsContext, sessionId: string): Promise<BindingRow> => {
  await requireSession(store, sessionId)
  const binding = await liveBinding(store, sessionId)
  if (binding === undefined)
    throw new AdjutantError("thread_not_found", `session ${sessionId} is bound to no thread: focus it first`)
  return binding
}

/**
 * Binds a thread to a session: what is written there reaches it, and its answers go there. Both lose the binding that they had.
 * @throws AdjutantError `session_not_found`, `channel_not_found`, `forbidden` where the channel allows no bindings
 */
export const focus = async (context: SessionsContext, request: FocusRequest): Promise<BindingView> => {
  const { store, loaded } = context
  const { config } = loaded
  const row = await requireSession(store, request.sessionId)
  const channel = chooseChannel(config, request.channel)
  const settings = requireChannel(config, channel)
  if (!settings.threadBindings.enabled)
    throw new AdjutantError("forbidden", `channel ${channel} allows no bindings: see threadBindings.enabled`)
  const threadKey = requireThreadKey(request.threadKey)
  const before = await store.bindings.ofThread(channel, threadKey)
  await store.bindings.bind({ sessionId: row.id, channel, threadKey, ...bindingSettings(config, settings) })
  const binding = await requireBinding(context, row.id)
  await audit(context, binding, { action: "focus", actor: request.actor })
  if (before !== undefined && before.sessionId !== row.id) await signalBindingChange(context, before.sessionId)
  await signalBindingChange(context, row.id)
  return bindingView(binding)
}

/** @throws AdjutantError `session_not_found`, `thread_not_found` */
export const unfocus = async (context: SessionsContext, sessionId: string, actor: Actor): Promise<BindingView> => {
  await requireBinding(context, sessionId)
  const removed = await context.store.bindings.remove(sessionId)
  if (removed === undefined) throw new AdjutantError("thread_not_found", `session ${sessionId} is bound to no thread`)
  await audit(context, removed, { action: "unfocus", actor })
  await signalBindingChange(context, sessionId)
  return bindingView(removed)
}

/** Which session a thread is bound to. @throws AdjutantError `thread_not_found`, `channel_not_found` */
export const sessionOfThread = async (
  context: SessionsContext,
  thread: { readonly channel?: string; readonly threadKey: string },
): Promise<string> => {
  const channel = chooseChannel(context.loaded.config, thread.channel)
  const binding = await context.store.bindings.ofThread(channel, thread.threadKey)
  if (binding === undefined || !isLive(binding))
    throw new AdjutantError("thread_not_found", `no session is bound to thread ${thread.threadKey} of ${channel}`)
  return binding.sessionId
}

/**
 * Changes when the binding ends; 0: never. The time of the last message counts as now.
 * @throws AdjutantError `session_not_found`, `thread_not_found`
 */
export const setExpiry = async (
  context: SessionsContext,
  request: { readonly sessionId: string; readonly idleMs?: number; readonly maxAgeMs?: number },
  actor: Actor,
): Promise<BindingView> => {
  const { sessionId, ...expiry } = request
  await requireBinding(context, sessionId)
  await context.store.bindings.patch(sessionId, expiry)
  const row = (await context.store.bindings.ofSession(sessionId)) ?? (await requireBinding(context, sessionId))
  await audit(context, row, { action: "binding-expiry", actor })
  await signalBindingChange(context, sessionId)
  return bindingView(row)
}

/** Those that have not expired, the oldest first. */
export const listBindings = async ({ store }: SessionsContext): Promise<Page<BindingView>> => ({
  items: (await store.bindings.list()).filter((row) => isLive(row)).map(bindingView),
  next_cursor: null,
})
