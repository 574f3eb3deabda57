import type { PolicyMode } from "../../contracts/approval/run-policy.ts"
import { applyPatchName, isDelegationTool } from "../tools/tool-names.ts"
import { type Confinement, sandboxWishOf } from "./process-sandbox.ts"
import { coversAddress, isHostPattern } from "../web/web-hosts.ts"
import { commandPatternProblem, matchesCommand, matchesPath, matchesText } from "./grant-patterns.ts"

/** What a grant covers: calls of one tool, by a pattern for each argument. */
export interface GrantTerms {
  readonly tool: string
  readonly arguments: Readonly<Record<string, string>>
}

/** The pattern of all arguments without one of their own. */
const others = "*"
/** The pattern that values other than texts, numbers and booleans match. */
const anything = "**"

interface BuiltInArguments {
  readonly path?: string
  readonly command?: string
  /** The argument that is an address of the web: its host decides. */
  readonly address?: string
  /** Arguments that need no pattern: what a call writes, and what changes nothing. */
  readonly free: readonly string[]
}

const builtInArguments: Readonly<Record<string, BuiltInArguments>> = {
  Read: { path: "file_path", free: ["offset", "limit"] },
  Write: { path: "file_path", free: ["content"] },
  Edit: { path: "file_path", free: ["old_string", "new_string", "replace_all"] },
  MultiEdit: { path: "file_path", free: ["edits"] },
  LS: { path: "path", free: [] },
  Glob: { path: "path", free: [] },
  Grep: { path: "path", free: [] },
  Bash: { command: "command", free: ["description", "timeout_ms", "reason"] },
  WebFetch: { address: "url", free: ["max_chars"] },
}

const argumentsOf = (tool: string): BuiltInArguments =>
  Object.hasOwn(builtInArguments, tool) ? (builtInArguments[tool] ?? { free: [] }) : { free: [] }

/** Returns the name of the tool's argument that is a path. */
export const pathArgument = (tool: string): string | undefined => argumentsOf(tool).path

/** The pattern of `network` that includes all of it. */
const wholeNetwork = "*"

const hostsIn = (pattern: string): readonly string[] => pattern.split(/[\s,]+/).filter((host) => host !== "")

const isHosts = (pattern: string): boolean =>
  pattern === wholeNetwork || (hostsIn(pattern).length > 0 && hostsIn(pattern).every((host) => !/^\*+$/.test(host)))

/** Returns whether a pattern names the very hosts of a call. Where the sandbox would open the whole network for them, the pattern has to say that. */
const matchesHosts = (pattern: string, value: unknown, opens: GrantedCall["opens"]): boolean => {
  if (pattern === wholeNetwork) return true
  if (!Array.isArray(value) || opens === "network") return false
  const [granted, asked] = [new Set(hostsIn(pattern)), new Set<unknown>(value)]
  return granted.size === asked.size && [...granted].every((host) => asked.has(host))
}

const asksBeyond = (patterns: GrantTerms["arguments"]): boolean =>
  ["unconfined", "network"].some((name) => Object.hasOwn(patterns, name))

/** Returns why no grant can have these terms in a run whose policy has this mode for the tool; undefined if one can. */
export const grantProblem = ({ tool, arguments: patterns }: GrantTerms, mode: PolicyMode): string | undefined => {
  if (isDelegationTool(tool) || tool === "finish")
    return `${tool} is not covered by grants: they are for ordinary tools`
  if (tool === applyPatchName)
    return `${tool} is not covered by grants, since a patch names its files inside: let policy decide (tools.policy)`
  if (mode === "never") return `policy never allows ${tool}: a grant cannot change that`
  const { command, path, address } = argumentsOf(tool)
  const required = command ?? path ?? address
  if (required !== undefined && !Object.hasOwn(patterns, required))
    return `a grant for ${tool} requires a pattern for ${required}`
  if (path !== undefined && patterns[path]?.startsWith("/") === true)
    return `the pattern for ${path} is relative to the working directory of the session: omit the first /`
  if (address !== undefined && !isHostPattern(patterns[address] ?? ""))
    return `the pattern for ${address} is a host, like docs.example.org or *.example.org, with or without :port`
  if (command === undefined) return undefined
  const pattern = patterns[command] ?? ""
  if (asksBeyond(patterns) && pattern.endsWith("*"))
    return "a grant for unconfined or network is for one very command: name its exact text"
  if (!isHosts(patterns["network"] ?? wholeNetwork))
    return "a grant for network names the exact hosts, separated by commas, or * for the whole network"
  return commandPatternProblem(pattern)
}

/** A call as a grant judges it. */
export interface GrantedCall {
  readonly tool: string
  readonly arguments: Readonly<Record<string, unknown>>
  /** Where its path leads, through links, relative to the working directory; undefined if that is outside of it. */
  readonly realPath?: string | undefined
  /** What it would get beyond its sandbox. */
  readonly opens?: Confinement["opens"]
}

const comparableText = (value: unknown): string | undefined =>
  typeof value === "string" || typeof value === "number" || typeof value === "boolean" ? String(value) : undefined

const matchesValue = (pattern: string, value: unknown): boolean => {
  const text = comparableText(value)
  return text === undefined ? pattern === anything : matchesText(pattern, text)
}

const matchesArgument = (name: string, pattern: string, call: GrantedCall): boolean => {
  const { path, command, address } = argumentsOf(call.tool)
  const value = call.arguments[name]
  if (name === path) return call.realPath !== undefined && matchesPath(pattern, call.realPath)
  if (name === address) return typeof value === "string" && coversAddress([pattern], value)
  if (command !== undefined && name === "network") return matchesHosts(pattern, value, call.opens)
  if (name === command) return typeof value === "string" && matchesCommand(pattern, value)
  return matchesValue(pattern, value)
}

const coversOther = (name: string, terms: GrantTerms, call: GrantedCall): boolean => {
  const { path, command, address, free } = argumentsOf(call.tool)
  if (free.includes(name)) return true
  if (name === path || name === command || name === address || !Object.hasOwn(terms.arguments, others)) return false
  return matchesValue(terms.arguments[others] ?? "", call.arguments[name])
}

/** Returns whether a grant is for exactly what a call asks for beyond its sandbox: its very command, and by name what it asks for. */
const coversWish = ({ arguments: patterns }: GrantTerms, { tool, arguments: args }: GrantedCall): boolean => {
  const wish = sandboxWishOf(tool, args)
  return wish === undefined || (patterns["command"] === args["command"] && Object.hasOwn(patterns, wish.kind))
}

/** Returns whether a grant covers a call: every pattern matches its argument, and the call has no argument without a pattern. */
export const coversCall = (terms: GrantTerms, call: GrantedCall): boolean => {
  if (terms.tool !== call.tool) return false
  const named = Object.keys(terms.arguments).filter((name) => name !== others)
  const hasAll = named.every(
    (name) => Object.hasOwn(call.arguments, name) && matchesArgument(name, terms.arguments[name] ?? "", call),
  )
  if (!hasAll || !coversWish(terms, call)) return false
  return Object.keys(call.arguments).every((name) => named.includes(name) || coversOther(name, terms, call))
}
