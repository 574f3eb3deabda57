import { isRecord } from "../text/is-record.ts"
import { parseJson } from "../text/json/parse-json.ts"

/** One field of a flat form. */
type Field = Readonly<Record<string, unknown>>

/** A question from an MCP server, in the protocol's shape. */
export interface Elicitation {
  readonly message: string
  /** The fields of a form; absent if the person is asked to open a URL. */
  readonly requestedSchema?: Readonly<Record<string, unknown>>
  readonly url?: string
}

export interface ElicitationAnswer {
  readonly action: "accept" | "decline" | "cancel"
  readonly content?: Readonly<Record<string, string | number | boolean | string[]>>
}

export type ReadAnswer =
  | { readonly ok: true; readonly answer: ElicitationAnswer }
  | { readonly ok: false; readonly problem: string }

const formFields = (elicitation: Elicitation): readonly (readonly [string, Field])[] => {
  const properties = elicitation.requestedSchema?.["properties"]
  return isRecord(properties)
    ? Object.entries(properties).map(([name, field]): [string, Field] => [name, isRecord(field) ? field : {}])
    : []
}

const requiredOf = (elicitation: Elicitation): readonly string[] => {
  const required = elicitation.requestedSchema?.["required"]
  return Array.isArray(required) ? required.filter((name) => typeof name === "string") : []
}

const choicesOf = (field: Field): readonly string[] => {
  if (Array.isArray(field["enum"])) return field["enum"].map(String)
  const titled = field["oneOf"] ?? field["anyOf"]
  return Array.isArray(titled) ? titled.flatMap((choice) => (isRecord(choice) ? [String(choice["const"])] : [])) : []
}

const fieldKind = (field: Field): string => {
  const choices = choicesOf(field)
  if (choices.length > 0) return `one of ${choices.join(", ")}`
  return typeof field["type"] === "string" ? field["type"] : "text"
}

/** Returns the question as text for a person, with instructions for answering it. */
export const elicitationText = (elicitation: Elicitation, server: string): string => {
  const intro = `MCP server ${server} asks: ${elicitation.message}`
  if (elicitation.url !== undefined) return `${intro}\nOpen ${elicitation.url}, then answer \`done\`, or \`decline\`.`
  const fields = formFields(elicitation)
  const required = requiredOf(elicitation)
  const lines = fields.map(([name, field]) => {
    const about = typeof field["description"] === "string" ? `: ${field["description"]}` : ""
    return `- ${name} (${fieldKind(field)}${required.includes(name) ? "" : ", optional"})${about}`
  })
  const how =
    fields.length === 1
      ? "Answer with the value"
      : `Answer with JSON, as {${fields.map(([name]) => `"${name}": …`).join(", ")}}`
  return [intro, ...lines, `${fields.length === 0 ? "Answer `yes`" : how}, or with \`decline\`.`].join("\n")
}

type Value = string | number | boolean | string[]

const typed = (field: Field, value: unknown): Value | undefined => {
  const choices = choicesOf(field)
  switch (field["type"]) {
    case "number":
    case "integer": {
      const number = typeof value === "string" && value.trim() !== "" ? Number(value) : value
      const fits = typeof number === "number" && Number.isFinite(number)
      return fits && (field["type"] === "number" || Number.isInteger(number)) ? number : undefined
    }
    case "boolean":
      if (typeof value === "boolean") return value
      if (typeof value !== "string") return undefined
      return /^(yes|y|true)$/i.test(value.trim()) ? true : /^(no|n|false)$/i.test(value.trim()) ? false : undefined
    case "array": {
      const list = Array.isArray(value)
        ? value
        : typeof value === "string"
          ? value.split(",").map((one) => one.trim())
          : []
      const allowed = isRecord(field["items"]) ? choicesOf(field["items"]) : []
      return list.every((one) => typeof one === "string" && (allowed.length === 0 || allowed.includes(one)))
        ? list.map(String)
        : undefined
    }
    default:
      if (typeof value !== "string") return undefined
      return choices.length === 0 || choices.includes(value) ? value : undefined
  }
}

const asObject = (text: string): Readonly<Record<string, unknown>> | undefined => {
  try {
    const value: unknown = parseJson(text)
    return isRecord(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** Parses a person's text as the answer to a form: JSON, or the value itself if the form has only one field. */
export const readElicitationAnswer = (elicitation: Elicitation, text: string): ReadAnswer => {
  const answer = text.trim()
  if (/^(decline|cancel)$/i.test(answer))
    return { ok: true, answer: { action: /^decline$/i.test(answer) ? "decline" : "cancel" } }
  if (elicitation.url !== undefined) return { ok: true, answer: { action: "accept" } }
  const fields = formFields(elicitation)
  const required = requiredOf(elicitation)
  const [only] = fields
  const given = asObject(answer) ?? (fields.length === 1 && only !== undefined ? { [only[0]]: answer } : undefined)
  if (given === undefined)
    return fields.length === 0
      ? { ok: true, answer: { action: "accept", content: {} } }
      : { ok: false, problem: "the answer is not a JSON object" }
  const content: Record<string, Value> = {}
  for (const [name, field] of fields) {
    if (!Object.hasOwn(given, name)) {
      if (required.includes(name)) return { ok: false, problem: `${name} is missing` }
      continue
    }
    const value = typed(field, given[name])
    if (value === undefined) return { ok: false, problem: `${name} must be ${fieldKind(field)}` }
    content[name] = value
  }
  const unknown = Object.keys(given).find((name) => !fields.some(([known]) => known === name))
  return unknown === undefined
    ? { ok: true, answer: { action: "accept", content } }
    : { ok: false, problem: `the form has no field ${unknown}` }
}
