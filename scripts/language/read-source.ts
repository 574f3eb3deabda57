import { parseSync } from "oxc-parser"

/** What a text is for: each rule applies to one kind. */
export type TextKind = "string" | "error" | "help"

/** A text that people read, where it is written. */
export interface WrittenText {
  /** Relative to the root of the project, with slashes. */
  readonly file: string
  /** Line on which the text starts, counted from 1. */
  readonly line: number
  readonly kind: TextKind
  /** Interpolations of a template are written as `…`. */
  readonly text: string
}

interface Node extends Readonly<Record<string, unknown>> {
  readonly type: string
  readonly start: number
  readonly end: number
}

interface Found {
  readonly kind: TextKind
  readonly start: number
  readonly text: string
}

const isNode = (value: unknown): value is Node =>
  typeof value === "object" && value !== null && "type" in value && typeof value.type === "string"

const nodesIn = (value: unknown): readonly Node[] =>
  Array.isArray(value) ? value.flatMap(nodesIn) : isNode(value) ? [value] : []

const childrenOf = (node: Node): readonly Node[] => Object.values(node).flatMap(nodesIn)

const descendantsOf = (node: Node): readonly Node[] => [node, ...childrenOf(node).flatMap(descendantsOf)]

const nameOf = (node: unknown): string => {
  if (!isNode(node)) return ""
  if (node.type === "Identifier") return String(node["name"])
  return node.type === "MemberExpression" ? nameOf(node["property"]) : ""
}

const literalText = (node: Node): string | undefined => {
  if (node.type === "Literal") return typeof node["value"] === "string" ? node["value"] : undefined
  if (node.type !== "TemplateLiteral") return undefined
  const quasis = nodesIn(node["quasis"]).map(({ value }) =>
    typeof value === "object" && value !== null && "cooked" in value ? String(value.cooked) : "",
  )
  return quasis.join("…")
}

/** Returns the texts that an expression can have: both branches of a condition, and a concatenation as one. */
const textsOf = (node: Node): readonly string[] => {
  const [left, right] = [nodesIn(node["left"])[0], nodesIn(node["right"])[0]]
  if (node.type === "ConditionalExpression")
    return [...nodesIn(node["consequent"]), ...nodesIn(node["alternate"])].flatMap(textsOf)
  if (node.type === "LogicalExpression") return [left, right].flatMap((side) => (side ? textsOf(side) : []))
  if (node.type === "BinaryExpression" && node["operator"] === "+" && left && right)
    return [`${textsOf(left)[0] ?? "…"}${textsOf(right)[0] ?? "…"}`]
  const text = literalText(node)
  return text === undefined ? [] : [text]
}

/** The text of commander's InvalidArgumentError follows a full stop. */
const errorClass = /^(?!InvalidArgument).*(?:Error|Failure|Problem|Refusal|Unavailable)$/
const errorHelpers = new Set(["refuse", "refusal", "invalid", "invalidArguments", "wrongUsage", "failure", "fail"])
const helpMethods = new Set(["description", "option", "requiredOption"])

/** Returns what a call's arguments are for, by the name of what is called. */
const kindOfArguments = (file: string, node: Node): TextKind | undefined => {
  const name = nameOf(node["callee"])
  if (node.type === "NewExpression") return errorClass.test(name) ? "error" : undefined
  if (node.type !== "CallExpression") return undefined
  if (errorHelpers.has(name)) return "error"
  return file.startsWith("cli/") && helpMethods.has(name) ? "help" : undefined
}

const isSentence = (text: string): boolean => /\S\s+\S/.test(text)

const argumentTexts = (file: string, node: Node): readonly Found[] => {
  const kind = kindOfArguments(file, node)
  if (kind === undefined) return []
  const args = nodesIn(node["arguments"])
  // Options of the command line start with their flags.
  const texts = args.flatMap((arg) => textsOf(arg).filter((text) => isSentence(text) && !text.startsWith("-")))
  const [first] = texts
  return first === undefined
    ? []
    : (kind === "help" ? [first] : texts).map((text) => ({ kind, start: node.start, text }))
}

const propertyTexts = (file: string, node: Node): readonly Found[] => {
  if (node.type !== "Property" || !isNode(node["value"])) return []
  const name = nameOf(node["key"])
  const kind =
    ["cli/command-table.ts", "cli/server-commands.ts"].includes(file) && name === "summary" ? "help" : undefined
  return kind === undefined ? [] : textsOf(node["value"]).map((text) => ({ kind, start: node.start, text }))
}

/** Returns the texts of a program that people read: strings of more than one word, errors, help. */
export const readSource = (file: string, source: string): readonly WrittenText[] => {
  const { program, errors } = parseSync(file, source)
  if (errors.length > 0 || !isNode(program)) throw new Error(`${file} cannot be parsed: ${errors[0]?.message}`)
  const found = descendantsOf(program).flatMap((node): readonly Found[] => {
    const text = literalText(node)
    const own = text !== undefined && isSentence(text) ? [{ kind: "string" as const, start: node.start, text }] : []
    return [...own, ...argumentTexts(file, node), ...propertyTexts(file, node)]
  })
  const lineAt = (at: number): number => source.slice(0, at).split("\n").length
  return found.map(({ kind, start, text }) => ({ file, line: lineAt(start), kind, text }))
}
