import { visible, withoutUnseen } from "../../domain/text/visible.ts"

/** Removes characters that show nothing from text of models and tools, so that it can neither control the terminal nor hide anything. */
export const plainText = (text: string): string => withoutUnseen(text.replaceAll("\r\n", "\n"))

/** Returns a text as one line of at most `maxLength` characters. */
export const oneLine = (text: string, maxLength: number): string => {
  const line = plainText(text).replace(/\s+/g, " ").trim()
  const characters = Array.from(line)
  return characters.length <= maxLength ? line : `${characters.slice(0, maxLength - 1).join("")}…`
}

/** The first of the scripts that terminals show two columns wide. */
const firstWide = 0x11_00

/** Returns how many columns of a terminal a character takes at most: from Hangul on, where wide characters and emoji are, two. */
const columnsOf = (character: string): number => ((character.codePointAt(0) ?? 0) < firstWide ? 1 : 2)

/** Returns a text as one line that takes at most this many columns of a terminal. */
export const oneTerminalRow = (text: string, columns: number): string => {
  const line = oneLine(text, columns)
  let taken = 0
  let fitting = ""
  for (const character of line) {
    taken += columnsOf(character)
    if (taken > columns) return `${fitting}…`
    // One column remains for the ellipsis.
    if (taken < columns) fitting += character
  }
  return line
}

/** Returns what a person decides about: every character of it can be seen. Line breaks of Windows count as line breaks. */
export const decidedText = (text: string): string => visible(text.replaceAll("\r\n", "\n"))
