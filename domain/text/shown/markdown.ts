import { visible } from "../visible.ts"

/** Words that mean the same in Markdown as they are. Without a dot, a colon or an at sign, nothing becomes a link. */
const plainWords = /^[A-Za-z0-9]+(?:[ _-][A-Za-z0-9]+)*$/

/** A run of backticks that is longer than every one in the text. */
const ticksFor = (text: string, fewest: number): string => {
  const longest = Math.max(0, ...(text.match(/`+/g) ?? []).map((run) => run.length))
  return "`".repeat(Math.max(fewest, longest + 1))
}

const codeSpan = (text: string): string => {
  const ticks = ticksFor(text, 1)
  const isPadded = text.startsWith("`") || text.endsWith("`")
  return isPadded ? `${ticks} ${text} ${ticks}` : `${ticks}${text}${ticks}`
}

/** Returns a text of anybody as one line of Markdown that shows it and does nothing else: code, unless it is plain words. */
export const inlineMarkdown = (text: string): string => {
  const line = visible(text.replaceAll(/\s+/g, " ").trim())
  return line === "" || plainWords.test(line) ? line : codeSpan(line)
}

/** Returns a text as code on one line, to be copied from there. */
export const inlineCode = (text: string): string => codeSpan(visible(text.replaceAll(/\s+/g, " ")))

/** Returns a text as a block of code that it cannot end. */
export const codeBlock = (text: string): string => {
  const ticks = ticksFor(text, 3)
  return `${ticks}\n${visible(text)}\n${ticks}`
}

/** Returns the beginning of a text that fits into a number of UTF-8 bytes, without half a character. */
export const cutToBytes = (text: string, maxBytes: number): string => {
  let bytes = 0
  let end = 0
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0
    bytes += code < 0x80 ? 1 : code < 0x8_00 ? 2 : code < 0x1_00_00 ? 3 : 4
    if (bytes > maxBytes) break
    end += character.length
  }
  return text.slice(0, end)
}

/** The engine's limit for a summary is 200 bytes. */
export const maxSummaryBytes = 190

/** Returns a text as the end of a summary, which is one line of Markdown, in at most as many bytes. */
export const summaryMarkdown = (text: string, maxBytes = maxSummaryBytes): string => {
  let line = visible(text.replaceAll(/\s+/g, " ").trim())
  for (let bytes = maxBytes; ; bytes -= 10) {
    const summary = inlineMarkdown(line)
    if (cutToBytes(summary, maxBytes) === summary) return summary
    line = cutToBytes(line, bytes)
  }
}
