/** Control characters, and those that turn the direction of a text or do not show. */
// eslint-disable-next-line no-control-regex
const hidden = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u200B-\u200F\u2028-\u202E\u2060-\u2069\uFEFF]/g

/** A text that others wrote, as a person who has to decide on it may safely see it. */
export const visibleText = (text: string, maxChars: number): string => {
  const clean = text.replaceAll(hidden, "\uFFFD")
  return clean.length <= maxChars ? clean : `${clean.slice(0, maxChars).toWellFormed()}… (${clean.length} characters)`
}
