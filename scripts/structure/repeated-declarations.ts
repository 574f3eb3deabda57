import type { SourceFile } from "./product-sources.ts"
import { scanTokens, type Token } from "./scan-tokens.ts"

interface Declaration {
  readonly file: string
  readonly kind: string
  readonly name: string
  /** Without comments and layout, and without `export`. */
  readonly text: string
}

export interface RepeatedDeclaration {
  readonly name: string
  readonly kind: string
  readonly files: readonly string[]
}

const declaring = new Set(["const", "interface", "type", "function", "class"])

/** Splits the tokens of a formatted text at its top-level statements: those whose first word starts a line outside of all brackets. */
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

/** Commas are left out: a formatter adds one where it breaks a line. */
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

/** A type guard asks one question, so that its name is enough; anything else is repeated where its text is. */
const keyOf = ({ name, text }: Declaration): string => (/ \) : \w+ is /.test(text) ? `guard ${name}` : text)

/** Returns what several files declare at their top level: by the same name and with the same text, or type guards of the same name. */
export const repeatedDeclarations = (sources: readonly SourceFile[]): readonly RepeatedDeclaration[] =>
  [...Map.groupBy(sources.flatMap(declarationsOf), keyOf).values()]
    .flatMap((group) => {
      const [first] = group
      const files = [...new Set(group.map(({ file }) => file))]
      return first !== undefined && files.length > 1 ? [{ name: first.name, kind: first.kind, files }] : []
    })
    .toSorted((left, right) => right.files.length - left.files.length || left.name.localeCompare(right.name))
