import type { SourceFile } from "./product-sources.ts"
import { scanTokens, type Token } from "../lint/scan-tokens.ts"

interface Declaration {
  readonly file: string
  readonly kind: string
  readonly name: string
  /** The text without comments, layout and `export`. */
  readonly text: string
}

export interface RepeatedDeclaration {
  readonly name: string
  readonly kind: string
  readonly files: readonly string[]
}

const declaring = new Set(["const", "interface", "type", "function", "class"])

/** Splits the tokens of a formatted text into its top-level statements, whose first word starts a line outside all brackets. */
const statementsOf = (tokens: readonly Token[]): readonly (readonly Token[])[] => {
  const statements: Token[][] = []
  let depth = 0
  for (const token of tokens) {
    if (depth === 0 && token.column === 0 && token.kind === "word") statements.push([])
    statements.at(-1)?.push(token)
    if (token.kind === "mark" && /^[([{]$/.test(token.text)) depth += 1
    if (token.kind === "mark" && /^[)\]}]$/.test(token.text)) depth -= 1
  }
  return statements
}

/** Returns the text without commas, since the formatter adds one where it breaks a line. */
const textOf = (tokens: readonly Token[]): string =>
  tokens
    .filter(({ kind, text }) => kind !== "mark" || text !== ",")
    .map(({ kind, text }) => (kind === "string" ? JSON.stringify(text) : text))
    .join(" ")

const declarationsOf = ({ file, text }: SourceFile): readonly Declaration[] =>
  statementsOf(scanTokens(text)).flatMap((statement) => {
    const words = statement.filter(({ text: word }) => !/^(?:export|async|declare|abstract)$/.test(word))
    const [kind, name] = words
    return kind !== undefined && name?.kind === "word" && declaring.has(kind.text)
      ? [{ file, kind: kind.text, name: name.text, text: textOf(words) }]
      : []
  })

/** Returns the key for comparison: the name of a type guard, the text of any other declaration. */
const keyOf = ({ name, text }: Declaration): string => (/ \) : \w+ is /.test(text) ? `guard ${name}` : text)

/** Returns the top-level declarations that several files contain: those with the same name and text, and type guards with the same name. */
export const repeatedDeclarations = (sources: readonly SourceFile[]): readonly RepeatedDeclaration[] =>
  [...Map.groupBy(sources.flatMap(declarationsOf), keyOf).values()]
    .flatMap((group) => {
      const [first] = group
      const files = [...new Set(group.map(({ file }) => file))]
      return first !== undefined && files.length > 1 ? [{ name: first.name, kind: first.kind, files }] : []
    })
    .toSorted((left, right) => right.files.length - left.files.length || left.name.localeCompare(right.name))
