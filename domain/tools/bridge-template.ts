import { jsonProblem } from "../text/json/json-problem.ts"
import { parseJson } from "../text/json/parse-json.ts"
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

/** A `{{tag}}` of a template. */
interface Tag {
  /** The character that makes it something else than a name; empty for a name. */
  readonly sign: string
  readonly name: string
  readonly start: number
  readonly end: number
}

const templatePlace = (source: string, offset: number): string => {
  const before = source.slice(0, offset).split("\n")
  return `line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`
}

const isName = (name: string): name is keyof BridgeValues => names.some((known) => known === name)

const forbidden: Readonly<Record<string, string>> = {
  "#": "sections are not supported",
  "^": "sections are not supported",
  ">": "partials are not supported",
  "/": "sections are not supported",
  "{": "unescaped values are not supported: write {{task}} or {{context}}",
  "&": "unescaped values are not supported: write {{task}} or {{context}}",
  "!": "comments are not supported",
  "=": "other delimiters are not supported",
}

class TemplateProblem extends Error {}

const tagsOf = (source: string): readonly Tag[] => {
  const tags: Tag[] = []
  for (let start = source.indexOf("{{"); start !== -1; start = source.indexOf("{{", tags.at(-1)?.end)) {
    const [sign = ""] = /^[#^>&!={/]/.exec(source.slice(start + 2)) ?? []
    const close = sign === "{" ? "}}}" : "}}"
    const at = source.indexOf(close, start + 2)
    if (at === -1) throw new TemplateProblem(`the tag is not closed at ${templatePlace(source, start)}`)
    tags.push({ sign, name: source.slice(start + 2 + sign.length, at).trim(), start, end: at + close.length })
  }
  return tags
}

const checkTag = (source: string, { sign, name, start }: Tag): void => {
  if (sign === "" && isName(name)) return
  const what =
    sign === ""
      ? `unknown name {{${name}}}${didYouMean(name, names)}; use {{task}} or {{context}}`
      : (forbidden[sign] ?? "this tag is not supported")
  throw new TemplateProblem(`${what}, at ${templatePlace(source, start)}`)
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
    const tags = tagsOf(source)
    for (const tag of tags) checkTag(source, tag)
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
    for (const { name, start, end: tagEnd } of tags) {
      if (!isName(name)) continue
      addText(source.slice(end, start))
      sample += placeholder(tagEnd - start, inside)
      pieces.push({ type: "value", name, quoted: inside })
      end = tagEnd
    }
    addText(source.slice(end))
    const problem = jsonProblem(sample)
    if (problem !== undefined)
      throw new TemplateProblem(`the text is not JSON: ${problem.message} at ${templatePlace(source, problem.offset)}`)
    if (!isRecord(JSON.parse(sample)))
      throw new TemplateProblem(`the text is not a JSON object, which tools require, at ${templatePlace(source, 0)}`)
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
