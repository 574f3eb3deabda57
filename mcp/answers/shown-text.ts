import { visible } from "../../domain/text/visible.ts"

/** Returns an untrusted text, cut and with every character visible, so that it can be shown to the person who decides. */
export const shownText = (text: string, maxChars: number): string => {
  const shown = visible(text)
  return shown.length <= maxChars ? shown : `${shown.slice(0, maxChars).toWellFormed()}… (${shown.length} characters)`
}
