import type { BindingView } from "../../sessions/channels/binding-view.ts"
import { durationText } from "../../domain/text/figures.ts"
import { plainText } from "../terminal/plain-text.ts"

const limitText = (ms: number): string => (ms === 0 ? "off" : durationText(ms))

/** Returns when a binding ends. */
export const expiryText = ({ expires_at }: BindingView): string =>
  expires_at === null ? "The binding does not end by itself." : `The binding ends at ${expires_at}.`

/** Returns a binding in one line. */
export const bindingText = (binding: BindingView): string => {
  const place = `thread ${plainText(binding.thread_key)} of ${binding.channel}`
  return `Task ${binding.session_id} is bound to ${place} (idle ${limitText(binding.idle_ms)}, max-age ${limitText(binding.max_age_ms)}).`
}
