import { oneLine, plainText } from "./plain-text.ts"

type Arguments = Readonly<Record<string, unknown>>

const headlineKeys = ["file_path", "path", "pattern", "command", "task", "description", "query", "url"]

const asText = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value))

/** Returns the name of a call and its main argument on one line: `Read README.md`. */
export const callHeadline = (name: string, args: Arguments | null | undefined): string => {
  const key = headlineKeys.find((candidate) => args?.[candidate] !== undefined) ?? Object.keys(args ?? {})[0]
  const value = key === undefined ? "" : asText(args?.[key])
  return oneLine(`${name} ${value}`, 100)
}

const maxLines = 20
const maxValueCharacters = 4000

/** Returns the arguments as lines: short ones after their name, long ones as an indented block that is cut after 20 lines. */
export const argumentLines = (args: Arguments): readonly string[] =>
  Object.entries(args).flatMap(([key, value]) => {
    const text = plainText(asText(value))
    const label = oneLine(key, 60)
    if (!text.includes("\n") && text.length <= 100) return [`${label}: ${text}`]
    const lines = text.slice(0, maxValueCharacters).split("\n")
    const shown = lines.slice(0, maxLines).map((line) => `  ${line}`)
    const cut = lines.length > maxLines || text.length > maxValueCharacters
    return [`${label}:`, ...shown, ...(cut ? [`  … (${text.length} characters in all)`] : [])]
  })
