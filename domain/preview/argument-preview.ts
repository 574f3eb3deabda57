import type { CallPreview } from "../../contracts/approval/call-preview.ts"
import { visible } from "../text/visible.ts"
import { argumentFlags } from "./argument-flags.ts"

/** A call as its preview shows it. */
export interface PreviewedCall {
  readonly name: string
  readonly arguments: Readonly<Record<string, unknown>>
}

const maxSummary = 200
/** The text below has the whole command. */
const maxCommand = 100
const headlineKeys = ["file_path", "path", "pattern", "command", "task", "prompt", "description", "query", "url"]

const asText = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value))

/** A line break and the blanks around it. */
const lineBreak = /\s*[\n\v\f\r\u0085\u2028\u2029]\s*/g

/**
 * Returns a text on one line, cut to a number of characters. Line breaks are shown: a comment must not seem to include the next line, which is
 * another command.
 */
export const lineOf = (text: string, most: number): string => {
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
export const summaryOf = ({ name, arguments: args }: PreviewedCall, details: readonly string[] = []): string => {
  const key = headlineKeys.find((candidate) => args[candidate] !== undefined)
  const about = key === undefined ? shortArguments(args) : asText(args[key])
  const end = details.length === 0 ? "" : ` (${details.join(", ")})`
  const most = key === "command" ? maxCommand : maxSummary
  return `${lineOf(`${name} ${about}`, most - end.length)}${end}`
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
    summary: summaryOf(call),
    ...(text === "" ? {} : { text: visible(text) }),
    flags: argumentFlags(name, args).map((flag) => lineOf(flag, maxSummary)),
  }
}
