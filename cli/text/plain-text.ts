import { visible, withoutUnseen } from "../../domain/text/visible.ts"

/** Removes characters that show nothing from text of models and tools, so that it can neither control the terminal nor hide anything. */
export const plainText = (text: string): string => withoutUnseen(text.replaceAll("\r\n", "\n"))

/** Returns a text as one line of at most `maxLength` characters. */
export const oneLine = (text: string, maxLength: number): string => {
  const line = plainText(text).replace(/\s+/g, " ").trim()
  const characters = Array.from(line)
  return characters.length <= maxLength ? line : `${characters.slice(0, maxLength - 1).join("")}…`
}

/** Returns what a person decides about: every character of it can be seen. Line breaks of Windows count as line breaks. */
export const decidedText = (text: string): string => visible(text.replaceAll("\r\n", "\n"))
