import { Composer, type Document, Lexer, type LineCounter, Parser, YAMLParseError } from "yaml"
import { isNestedTooDeep, maxJsonDepth } from "../parse-json.ts"

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
  const composer = new Composer({ prettyErrors: false, ...options })
  const [document, second] = composer.compose(tokens(), true, source.length)
  // Not reached: the composer always ends with a document.
  if (document === undefined) throw new Error("the YAML has no document")
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
