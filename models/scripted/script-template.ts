import type { Message } from "../../contracts/message.ts"
import { lastToolResults } from "./script-expectations.ts"

/**
 * Fills `{{result:<regex>}}` with the first group found in the results since the model's last answer, and `{{user:<regex>}}` with
 * that of the last user message. Throws `TemplateMismatch` if a regex does not match.
 */
export const fillTemplate = (template: string, messages: readonly Message[]): string => {
  return template.replaceAll(/\{\{(result|user):(.+?)\}\}(?!\})/gs, (_whole, source: string, pattern: string) => {
    const shown =
      source === "result"
        ? lastToolResults(messages)
            .map((result) => result.content)
            .join("\n")
        : (messages.findLast((message) => message.role === "user")?.text ?? "")
    const found = compile(pattern).exec(shown)?.[1]
    if (found === undefined) throw new TemplateMismatch(`/${pattern}/ matches no group in: ${shown.slice(0, 300)}`)
    return found
  })
}

/** Fills the templates in all texts inside a value. */
export const fillTemplates = (value: unknown, messages: readonly Message[]): unknown => {
  if (typeof value === "string") return fillTemplate(value, messages)
  if (Array.isArray(value)) return value.map((entry) => fillTemplates(entry, messages))
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, fillTemplates(entry, messages)]))
}

const compile = (pattern: string): RegExp => {
  try {
    return new RegExp(pattern)
  } catch {
    throw new TemplateMismatch(`/${pattern}/ is not a regular expression`)
  }
}

export class TemplateMismatch extends Error {}
