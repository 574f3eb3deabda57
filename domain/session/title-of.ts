import { redactCredentials } from "../text/foreign/redact-credentials.ts"
import { taskHeading } from "../prompts/task-context.ts"
import type { Redact } from "../text/redact.ts"

const maxTitleChars = 120

const cut = (line: string): string => {
  const chars = Array.from(line)
  return chars.length <= maxTitleChars ? line : `${chars.slice(0, maxTitleChars - 1).join("")}…`
}

/** Returns the beginning of a text, on one line, as a session's title. */
export const titleOf = (text: string): string => cut(text.replaceAll(/\s+/g, " ").trim())

/**
 * Returns the title of a session that was given none: the first line of its instruction, without the context that precedes the task. Titles are shown in
 * lists and in Temporal, so that secrets are removed. Null if the instruction has no text.
 */
export const titleOfInstruction = (instruction: string, redact: Redact): string | null => {
  const task = instruction.split(taskHeading).at(-1) ?? ""
  const line = task.split("\n").find((each) => each.trim() !== "")
  return line === undefined ? null : titleOf(redactCredentials(redact(line)))
}
