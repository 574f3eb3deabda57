import type { TurnMedia } from "../wire/transcript-turns.ts"

/** Both APIs require the name of a file. */
export const pdfName = "document.pdf"

/** Returns content as an address that contains it. */
export const dataUrl = ({ type, data }: TurnMedia): string => `data:${type};base64,${data}`
