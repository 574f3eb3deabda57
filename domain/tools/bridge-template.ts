import Mustache from "mustache"
import { jsonProblem } from "../text/json-problem.ts"
import { parseJson } from "../text/parse-json.ts"
import { didYouMean } from "../text/suggest.ts"
import { isRecord } from "../text/is-record.ts"

const names = ["task", "context"] as const

/** The values that a template may refer to. */
export type BridgeValues = Readonly<Record<(typeof names)[number], string>>

type Piece =
  | { readonly type: "text"; readonly text: string }
  /** `quoted`: the tag is inside a JSON string. */
  | { readonly type: "value"; readonly name: keyof BridgeValues; readonly quoted: boolean }

export interface BridgeTemplate {
  readonly pieces: readonly Piece[]
}

export type ParsedTemplate =
  | { readonly ok: true; readonly template: BridgeTemplate }
  /** The problem with line and column in the template, both from 1. */
  | { readonly ok: false; readonly problem: string }

export type FilledTemplate =
  | { readonly ok: true; readonly args: Readonly<Record<string, unknown>> }
  | { readonly ok: false; readonly problem: string }

type Token = readonly [type: string, value: string, start: number, end: number]

const placeOf = (source: string, offset: number): string => {
  const before = source.slice(0, offset).split("\n")
  return `line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`
}

const isName = (name: string): name is keyof BridgeValues => names.some((known) => known === name)

const forbidden: Readonly<Record<string, string>> = {
  "#": "sections are not supported",
  "^": "sections are not supported",
  ">": "partials are not supported",
  "&": "unescaped values are not supported: write {{task}} or {{context}}",
  "!": "comments are not supported",
  "=": "other delimiters are not supported",
}

class TemplateProblem extends Error {}

const tokensOf = (source: string): readonly Token[] => {
  try {
    // Every piece of text is kept as written, whitespace included: there are no standalone lines.
    return Mustache.parse(source).map(([type, value, start, end]): Token => [type, value, start, end])
  } catch (error) {
    const [, what = "the template cannot be read", at = "0"] =
      /^(.*?)(?: at (\d+))?$/s.exec(error instanceof Error ? error.message : "") ?? []
    const open = source.lastIndexOf("{{", Number(at))
    throw new TemplateProblem(`${what} at ${placeOf(source, open === -1 ? Number(at) : open)}`)
  }
}

const checkToken = (source: string, [type, value, start]: Token): void => {
  if (type === "text" || (type === "name" && isName(value))) return
  const what =
    type === "name"
      ? `unknown name {{${value}}}${didYouMean(value, names)}; use {{task}} or {{context}}`
      : (forbidden[type] ?? "this tag is not supported")
  throw new TemplateProblem(`${what}, at ${placeOf(source, start)}`)
}

/** Returns whether the text so far ends inside a JSON string. */
const endsInString = (text: string, before: boolean): boolean => {
  let inside = before
  for (let at = 0; at < text.length; at += 1) {
    if (inside && text[at] === "\\") at += 1
    else if (text[at] === '"') inside = !inside
  }
  return inside
}

/** Returns a placeholder of the tag's length, so that positions in the result are positions in the template. */
const placeholder = (length: number, quoted: boolean): string => (quoted ? "x".repeat(length) : '""'.padEnd(length))

/** Parses a Mustache template of a tool's JSON arguments, in which only {{task}} and {{context}} are allowed. */
export const parseBridgeTemplate = (source: string): ParsedTemplate => {
  try {
    const tokens = tokensOf(source)
    for (const token of tokens) checkToken(source, token)
    const pieces: Piece[] = []
    let sample = ""
    let inside = false
    let end = 0
    const addText = (text: string): void => {
      if (text === "") return
      inside = endsInString(text, inside)
      sample += text
      pieces.push({ type: "text", text })
    }
    for (const [type, name, start, tagEnd] of tokens) {
      if (type !== "name" || !isName(name)) continue
      addText(source.slice(end, start))
      sample += placeholder(tagEnd - start, inside)
      pieces.push({ type: "value", name, quoted: inside })
      end = tagEnd
    }
    addText(source.slice(end))
    const problem = jsonProblem(sample)
    if (problem !== undefined)
      throw new TemplateProblem(`the text is not JSON: ${problem.message} at ${placeOf(source, problem.offset)}`)
    if (!isRecord(JSON.parse(sample)))
      throw new TemplateProblem(`the text is not a JSON object, which tools require, at ${placeOf(source, 0)}`)
    return { ok: true, template: { pieces } }
  } catch (error) {
    if (error instanceof TemplateProblem) return { ok: false, problem: error.message }
    throw error
  }
}

const parsed = (text: string): { readonly value: unknown } | undefined => {
  try {
    return { value: parseJson(text) }
  } catch {
    return undefined
  }
}

/**
 * Fills in a template. Inside a string, a value is escaped; outside, it must be a complete JSON value, so that no text can add arguments that the
 * template does not have.
 */
export const fillBridgeTemplate = ({ pieces }: BridgeTemplate, values: BridgeValues): FilledTemplate => {
  let text = ""
  for (const piece of pieces) {
    if (piece.type === "text") text += piece.text
    else if (piece.quoted) text += JSON.stringify(values[piece.name]).slice(1, -1)
    else if (parsed(values[piece.name]) === undefined)
      return {
        ok: false,
        problem: `the template uses {{${piece.name}}} without quotes, but the ${piece.name} is not JSON: put the tag in double quotes to send it as text`,
      }
    else text += values[piece.name]
  }
  const args = parsed(text)
  return isRecord(args?.value)
    ? { ok: true, args: args.value }
    : { ok: false, problem: "the filled-in template is not a JSON object" }
}
