import { Composer, type Document, isScalar, Lexer, type LineCounter, Parser, visit, YAMLParseError } from "yaml"
import { isNestedTooDeep, maxJsonDepth } from "../json/parse-json.ts"

/** The parser's stack also contains the document and the value that is being read. */
const maxStack = maxJsonDepth + 2

interface YamlOptions {
  /** Receives where the lines start. */
  readonly lines?: LineCounter
  readonly schema?: "core"
  readonly merge?: boolean
}

const tooDeep = (offset: number): YAMLParseError =>
  new YAMLParseError([offset, offset + 1], "RESOURCE_EXHAUSTION", `the YAML nests deeper than ${maxJsonDepth} levels`)

/** Resolving an alias searches the document. */
/** The most bytes of a text that nobody trusts yet: parsing one of this size that is made to be slow takes seconds. */
export const maxUntrustedBytes = 1024 * 1024

const maxAliases = 1_000

/** The words of the parser. */
const duplicateKey = "Map keys must be unique"

/** Returns the errors that the composer would need quadratic time for: keys that a map has already, and too many aliases. */
const costlyErrors = (document: Document): readonly YAMLParseError[] => {
  const errors: YAMLParseError[] = []
  let aliases = 0
  visit(document, {
    Alias: (_, { range }) => {
      aliases += 1
      const at = range?.[0] ?? 0
      if (aliases !== maxAliases + 1) return
      errors.push(
        new YAMLParseError([at, at + 1], "RESOURCE_EXHAUSTION", `the YAML contains more than ${maxAliases} aliases`),
      )
    },
    Map: (_, { items }) => {
      const seen = new Set<unknown>()
      for (const { key } of items) {
        if (!isScalar(key)) continue
        const at = key.range?.[0] ?? 0
        if (seen.has(key.value)) errors.push(new YAMLParseError([at, at + 1], "DUPLICATE_KEY", duplicateKey))
        seen.add(key.value)
      }
    },
  })
  return errors
}

/**
 * Parses YAML from outside. Errors are in the document. A text that nests deeper than `maxJsonDepth` is not read further, since composing its
 * values would take minutes or use up the stack.
 */
export const parseYaml = (source: string, { lines, ...options }: YamlOptions = {}): Document => {
  const parser = new Parser(lines?.addNewLine)
  let deepAt: number | undefined
  const tokens = function* () {
    lines?.addNewLine(0)
    for (const lexeme of new Lexer().lex(source)) {
      yield* parser.next(lexeme)
      if (parser.stack.length > maxStack) {
        deepAt = parser.offset
        return
      }
    }
    yield* parser.end()
  }
  const composer = new Composer({ prettyErrors: false, uniqueKeys: false, ...options })
  const [document, second] = composer.compose(tokens(), true, source.length)
  // Not reached: the composer always ends with a document.
  if (document === undefined) throw new Error("the YAML has no document")
  document.errors = [...document.errors, ...costlyErrors(document)].toSorted(
    (left, right) => left.pos[0] - right.pos[0],
  )
  if (deepAt !== undefined) document.errors.unshift(tooDeep(deepAt))
  else if (second !== undefined)
    document.errors.push(
      new YAMLParseError(
        [second.range[0], second.range[1]],
        "MULTIPLE_DOCS",
        "the YAML contains more than one document",
      ),
    )
  return document
}

/** Returns the value of a document. @throws Error if aliases multiply it or refer to nothing, or if it nests too deep with them */
export const yamlValue = (document: Document): unknown => {
  const value: unknown = document.toJS({ maxAliasCount: 100 })
  if (isNestedTooDeep(value)) throw new RangeError(`the YAML nests deeper than ${maxJsonDepth} levels`)
  return value
}
