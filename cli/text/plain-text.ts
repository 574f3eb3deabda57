import { visible } from "../../domain/text/visible.ts"

/** Removes control characters from text of models and tools, so that it cannot control the terminal. Keeps tabs and newlines. */
export const plainText = (text: string): string =>
  // oxlint-disable-next-line no-control-regex
  text.replace(/\r\n/g, "\n").replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g, "")

/** Returns a text as one line of at most `maxLength` characters. */
export const oneLine = (text: string, maxLength: number): string => {
  const line = plainText(text).replace(/\s+/g, " ").trim()
  const characters = Array.from(line)
  return characters.length <= maxLength ? line : `${characters.slice(0, maxLength - 1).join("")}…`
}

/** Returns what a person decides about: every character of it can be seen. Line breaks of Windows count as line breaks. */
export const decidedText = (text: string): string => visible(text.replaceAll("\r\n", "\n"))
