import type { CallPreview } from "../../contracts/approval/call-preview.ts"
import { visible } from "../text/visible.ts"
import { headlineKeys } from "../text/headline-keys.ts"
import { isRecord } from "../text/is-record.ts"

/** Arguments of built-in tools that the summary, the diff or the text already shows. */
const shownArguments: Readonly<Record<string, readonly string[]>> = {
  Read: ["file_path"],
  Write: ["file_path", "content"],
  Edit: ["file_path", "old_string", "new_string"],
  MultiEdit: ["file_path", "edits"],
  apply_patch: ["patch"],
  LS: ["path"],
  Glob: ["pattern"],
  Grep: ["pattern"],
  Bash: ["command"],
  WebFetch: ["url"],
  TodoWrite: ["todos"],
}

/** The usual time limit of a command, in milliseconds: models often write it out. */
const usualTimeoutMs = 120_000

const isDefault = (key: string, value: unknown): boolean =>
  value === false || value === undefined || value === null || (key === "timeout_ms" && value === usualTimeoutMs)

/** A description is the agent's word for what the call does, which the call may not do. */
const flagOf = (key: string, value: unknown): string =>
  key === "description" ? `the agent's words: ${JSON.stringify(value)}` : `${key}: ${JSON.stringify(value)}`

const editFlags = (edits: unknown): readonly string[] =>
  Array.isArray(edits)
    ? edits.flatMap((edit: unknown, index) =>
        isRecord(edit) && edit["replace_all"] === true ? [`edit ${index + 1}: replace_all: true`] : [],
      )
    : []

/** Returns the arguments of a built-in tool that are not the default, as `name: value`. Of other tools, the text shows every argument. */
const argumentFlags = (name: string, args: Readonly<Record<string, unknown>>): readonly string[] => {
  const known = Object.hasOwn(shownArguments, name) ? shownArguments[name] : undefined
  if (known === undefined) return []
  const flags = Object.entries(args).flatMap(([key, value]) =>
    known.includes(key) || isDefault(key, value) ? [] : [flagOf(key, value)],
  )
  return name === "MultiEdit" ? [...flags, ...editFlags(args["edits"])] : flags
}

/** A call as its preview shows it. */
export interface PreviewedCall {
  readonly name: string
  readonly arguments: Readonly<Record<string, unknown>>
}

const maxSummary = 200
/** The text below has the whole command. */
const maxCommand = 100
const asText = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value))

/** A line break and the blanks around it. */
const lineBreak = /\s*[\n\v\f\r\u0085\u2028\u2029]\s*/g

/**
 * Returns a text on one line, cut to a number of characters. Line breaks are shown: a comment must not seem to include the next line, which is
 * another command.
 */
export const cutToLine = (text: string, most: number): string => {
  const line = Array.from(visible(text.trim().replaceAll(lineBreak, " ⏎ ").replaceAll(/\s+/g, " ")))
  return line.length <= most ? line.join("") : `${line.slice(0, most - 1).join("")}…`
}

/** Returns all arguments in short: `a: 119.9, b: 2`; a single text alone. */
const shortArguments = (args: PreviewedCall["arguments"]): string => {
  const entries = Object.entries(args)
  const [only] = entries
  return entries.length === 1 && typeof only?.[1] === "string"
    ? only[1]
    : entries.map(([key, value]) => `${key}: ${asText(value)}`).join(", ")
}

/** Returns the summary of a call: its name, what it is about, and `details` in brackets. */
export const callSummary = ({ name, arguments: args }: PreviewedCall, details: readonly string[] = []): string => {
  const key = headlineKeys.find((candidate) => args[candidate] !== undefined)
  const about = key === undefined ? shortArguments(args) : asText(args[key])
  const end = details.length === 0 ? "" : ` (${details.join(", ")})`
  const most = key === "command" ? maxCommand : maxSummary
  return `${cutToLine(`${name} ${about}`, most - end.length)}${end}`
}

const argumentLines = (args: PreviewedCall["arguments"]): string =>
  Object.entries(args)
    .map(([key, value]) => {
      const text = typeof value === "string" ? value : JSON.stringify(value, null, 2)
      return text.includes("\n") ? `${key}:\n${text.replaceAll(/^/gm, "  ")}` : `${key}: ${text}`
    })
    .join("\n")

/** Returns what the arguments alone say about a call: without the file that it changes, and without the sandbox. */
export const argumentPreview = (call: PreviewedCall): CallPreview => {
  const { name, arguments: args } = call
  const isCommand = name === "Bash" && typeof args["command"] === "string"
  const text = isCommand ? asText(args["command"]) : argumentLines(args)
  return {
    summary: callSummary(call),
    ...(text === "" ? {} : { text: visible(text) }),
    flags: argumentFlags(name, args).map((flag) => cutToLine(flag, maxSummary)),
  }
}
