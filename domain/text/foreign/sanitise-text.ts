import { redactCredentials } from "./redact-credentials.ts"
import { stripScaffolding } from "./strip-scaffolding.ts"

/** Removing one thing may form another. A text that needs more rounds than this was crafted to. */
const maxRounds = 6

const isHighSurrogate = (code: number): boolean => code >= 0xd8_00 && code <= 0xdb_ff

/** Cuts a text to at most `maxChars`, including the note about the cut. */
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

/** Replaces angle brackets, so that nothing can be scaffolding. */
const defuse = (text: string): string => text.replaceAll(/[<\uFF1C]/g, "‹")

/**
 * Returns a sub-agent's text in a form that others may see: without thinking, memories, calls written as XML and control tokens, with credentials
 * redacted, and at most `maxChars` long. Never throws; idempotent.
 */
export const sanitiseText = (text: string, maxChars: number): string => {
  const round = (each: string): string => cut(redactCredentials(stripScaffolding(each)).trim(), maxChars)
  const clean = untilStable(text, round)
  return clean.isStable ? clean.text : untilStable(defuse(clean.text), round).text
}
