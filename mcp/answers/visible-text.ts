/** Control characters, invisible characters, and characters that change the direction of a text. */
// eslint-disable-next-line no-control-regex
const hidden = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u200B-\u200F\u2028-\u202E\u2060-\u2069\uFEFF]/g

/** Returns an untrusted text, cut and without hidden characters, so that it can be shown to the person who decides. */
export const visibleText = (text: string, maxChars: number): string => {
  const clean = text.replaceAll(hidden, "\uFFFD")
  return clean.length <= maxChars ? clean : `${clean.slice(0, maxChars).toWellFormed()}… (${clean.length} characters)`
}
