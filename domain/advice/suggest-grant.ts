import type { PendingToolCall } from "../../contracts/approval/pause.ts"
import { commandPatternProblem, matchesCommand } from "../approval/grant-patterns.ts"
import { webFetchName } from "../tools/tool-names.ts"
import { webHostOf } from "../web/web-hosts.ts"
import { coversCall, type GrantTerms, grantProblem, pathArgument } from "../approval/grant-terms.ts"

/** How long a grant lasts that a person makes where they approve a call. */
export const suggestedSeconds = 2 * 60 * 60

/** The second word of a command that says what its program does: `status` of `git status`. */
const verb = /^[a-z][a-z0-9-]*$/

/** Returns the pattern for commands like this one: its program and its verb. A command without a verb, or that composes others, is named exactly. */
const commandPattern = (command: string): string => {
  const [program = "", second = ""] = command.split(" ")
  const pattern = `${program} ${second} *`
  if (!verb.test(second) || commandPatternProblem(pattern) !== undefined) return command
  return matchesCommand(pattern, command) ? pattern : command
}

type Call = Pick<PendingToolCall, "name" | "arguments" | "preview" | "protected">

/** Returns the path of a call relative to the working directory; undefined if it is not known. */
const relativePath = (call: Call, argument: string): string | undefined => {
  const named = call.arguments[argument]
  const path = call.preview.file?.path ?? (typeof named === "string" ? named : undefined)
  return path === undefined || path.startsWith("/") || /(^|\/)\.\.(\/|$)/.test(path) ? undefined : path
}

const termsOf = (call: Call): GrantTerms["arguments"] | undefined => {
  const { command } = call.arguments
  if (call.name === "Bash") return typeof command === "string" ? { command: commandPattern(command) } : undefined
  const { url } = call.arguments
  if (call.name === webFetchName) return typeof url === "string" ? { url: webHostOf(url) ?? "" } : undefined
  const argument = pathArgument(call.name)
  if (argument === undefined) return { "*": "**" }
  const path = relativePath(call, argument)
  return path === undefined ? undefined : { [argument]: path }
}

/**
 * Returns the grant for calls like this one, which a person can make when they approve it; undefined if no grant can cover it. A call that is protected
 * or asks for more than its sandbox is always decided by itself.
 */
export const suggestGrant = (call: Call): GrantTerms | undefined => {
  if (call.protected === true) return undefined
  const patterns = termsOf(call)
  if (patterns === undefined) return undefined
  const terms = { tool: call.name, arguments: patterns }
  const path = patterns[pathArgument(call.name) ?? ""]
  if (grantProblem(terms, "prompt") !== undefined) return undefined
  return coversCall(terms, { tool: call.name, arguments: call.arguments, realPath: path }) ? terms : undefined
}

/** Returns what a grant covers: `Bash git status *`, `Write docs/a.md`, `every call of get-sum`. */
export const grantWords = ({ tool, arguments: patterns }: GrantTerms): string => {
  if (patterns["*"] === "**") return `every call of ${tool}`
  return `${tool} ${Object.values(patterns).join(" ")}`
}
