import path from "node:path"
import type { SourceFile } from "./product-sources.ts"
import { scanTokens, type Token } from "../lint/scan-tokens.ts"

export interface ImportEdge {
  readonly from: string
  /** The imported file, relative to the root of the project. */
  readonly to: string
  readonly kind: "value" | "type"
}

type Specifier = Pick<ImportEdge, "kind"> & { readonly specifier: string }

/** Returns whether all names between the braces of an import are marked with `type`. */
const isTypeOnlyList = (clause: readonly Token[]): boolean => {
  if (clause[0]?.text !== "{") return false
  const names = clause.filter(({ text }, at) => at > 0 && /^[{,]$/.test(clause[at - 1]?.text ?? "") && text !== "}")
  return names.length > 0 && names.every(({ text }) => text === "type")
}

const kindOf = (clause: readonly Token[]): ImportEdge["kind"] => {
  const isMarked = clause[0]?.text === "type" && clause.length > 1 && clause[1]?.text !== ","
  return isMarked || isTypeOnlyList(clause) ? "type" : "value"
}

/** Returns the module that the `import` or `export` at the index names; undefined if it names none. */
const specifierAt = (tokens: readonly Token[], at: number): Specifier | undefined => {
  const keyword = tokens[at]?.text
  const [next, second] = [tokens[at + 1], tokens[at + 2]]
  if (keyword === "import" && next?.kind === "string") return { kind: "value", specifier: next.text }
  if (keyword === "import" && next?.text === "(")
    return second?.kind === "string" ? { kind: "value", specifier: second.text } : undefined
  if (keyword === "export" && !/^(?:type|\{|\*)$/.test(next?.text ?? "")) return undefined
  const from = tokens.findIndex(
    (token, index) => index > at && token.text === "from" && tokens[index + 1]?.kind === "string",
  )
  const clause = tokens.slice(at + 1, from)
  const isClause = clause.every(({ kind, text }) => (kind === "word" ? text !== "export" : /^[{},*]$/.test(text)))
  return from === -1 || !isClause ? undefined : { kind: kindOf(clause), specifier: tokens[from + 1]?.text ?? "" }
}

/** Returns the modules that a text imports or re-exports, dynamic imports included. */
export const importsOf = (text: string): readonly Specifier[] => {
  const tokens = scanTokens(text)
  return tokens.flatMap(({ kind, text: word }, at) => {
    const isKeyword = kind === "word" && (word === "import" || word === "export") && tokens[at - 1]?.text !== "."
    return (isKeyword ? specifierAt(tokens, at) : undefined) ?? []
  })
}

/** Returns the relative imports of the sources. A file that imports another twice has two edges. */
export const importGraph = (sources: readonly SourceFile[]): readonly ImportEdge[] =>
  sources.flatMap(({ file, text }) =>
    importsOf(text)
      .filter(({ specifier }) => specifier.startsWith("."))
      .map(({ kind, specifier }) => ({ from: file, to: path.posix.join(path.posix.dirname(file), specifier), kind })),
  )
