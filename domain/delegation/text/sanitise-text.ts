import { redactCredentials } from "./redact-credentials.ts"
import { stripScaffolding } from "./strip-scaffolding.ts"

/** Taking one thing out may put another one together; a text that needs more rounds than this was made to. */
const maxRounds = 6

const isHighSurrogate = (code: number): boolean => code >= 0xd8_00 && code <= 0xdb_ff

/** At most `maxChars`, the note that says so included. */
const cut = (text: string, maxChars: number): string => {
  if (text.length <= maxChars) return text
  const note = `\n[cut: ${text.length} characters in all]`
  const end = Math.max(0, maxChars - note.length)
  const whole = end > 0 && isHighSurrogate(text.charCodeAt(end - 1)) ? end - 1 : end
  return (text.slice(0, whole).trimEnd() + note).slice(0, maxChars)
}

const untilStable = (text: string, round: (text: string) => string): { text: string; isStable: boolean } => {
  let current = text
  for (let count = 0; count < maxRounds; count++) {
    const next = round(current)
    if (next === current) return { text: current, isStable: true }
    current = next
  }
  return { text: current, isStable: false }
}

/** Without angle brackets nothing is left that could be scaffolding. */
const defuse = (text: string): string => text.replaceAll(/[<\uFF1C]/g, "‹")

/**
 * A text of a sub-agent as others may see it: without thinking, memories, calls written as XML and control tokens, credentials struck out, at
 * most `maxChars` long. Never throws; twice is the same as once.
 */
export const sanitiseText = (text: string, maxChars: number): string => {
  const round = (each: string): string => cut(redactCredentials(stripScaffolding(each)).trim(), maxChars)
  const clean = untilStable(text, round)
  return clean.isStable ? clean.text : untilStable(defuse(clean.text), round).text
}
