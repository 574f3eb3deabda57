import { visible } from "../../domain/text/visible.ts"

/** What emoji consist of beside their pictures, and the blank that many languages put before punctuation: harmless where nobody decides on the text. */
const kept = /(\p{Extended_Pictographic}(?:\ufe0f|\u200d\p{Extended_Pictographic})*|\u00a0)/u

/** Writes out the hidden characters of a text to read, except those that belong to emoji and no-break spaces. */
export const prose = (text: string): string =>
  text
    .split(kept)
    .map((part, index) => (index % 2 === 0 ? visible(part) : part))
    .join("")
