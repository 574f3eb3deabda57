/**
 * Characters that show nothing, or change the order in which others are shown: control, format and unassigned characters, those that a renderer may
 * ignore, and blanks other than the space. Tabs and line breaks are kept.
 */
const unseen = /(?![\t\n ])[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]/gu

const spelledOut = (character: string): string =>
  character
    .split("")
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
    .join("")

/** Writes out characters that a person would not see: people decide on what they see. Inside a JSON string, the value stays the same. */
export const visible = (text: string): string => text.replace(unseen, spelledOut)

/** What only joins or styles its neighbours: many scripts and emoji need it. */
const joins: ReadonlySet<string> = new Set(["\u200c", "\u200d", "\ufe0e", "\ufe0f"])
const isBlank = /^\p{Z}$/u

/** Removes the same characters from a text that nobody decides about; blanks become spaces, and what joins its neighbours stays. */
export const withoutUnseen = (text: string): string =>
  text.replace(unseen, (character) => (joins.has(character) ? character : isBlank.test(character) ? " " : ""))
