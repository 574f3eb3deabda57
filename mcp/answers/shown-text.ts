import { visible } from "../../domain/text/visible.ts"
import { startOf } from "../../domain/text/foreign/well-formed.ts"

/** Returns an untrusted text, cut and with every character visible, so that it can be shown to the person who decides. */
export const shownText = (text: string, maxChars: number): string => {
  const shown = visible(text)
  return shown.length <= maxChars ? shown : `${startOf(shown, maxChars)}… (${shown.length} characters)`
}
