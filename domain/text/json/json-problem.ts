/** Why and where a text is not valid JSON; `offset` counts UTF-16 units from 0. */
export interface JsonProblem {
  readonly offset: number
  readonly message: string
}

const space = /[ \t\n\r]*/y
const stringLiteral = /"(?:[ !#-[\]-\uFFFF]|\\(?:["\\/bfnrt]|u[0-9A-Fa-f]{4}))*"/y
const numberLiteral = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
const wordLiteral = /true|false|null/y
const maxDepth = 200

class Broken extends Error {
  readonly offset: number

  constructor(offset: number, message: string) {
    super(message)
    this.offset = offset
  }
}

/** Returns where and why a text is not valid JSON; undefined if it is valid. The runtime's own parser does not always report the position. */
export const jsonProblem = (text: string): JsonProblem | undefined => {
  let at = 0
  const match = (pattern: RegExp): boolean => {
    pattern.lastIndex = at
    const found = pattern.exec(text)
    if (found === null) return false
    at += found[0].length
    return true
  }
  const skip = (): void => void match(space)
  const fail = (expected: string): never => {
    throw new Broken(at, at >= text.length ? `the text ends where ${expected} is expected` : `expected ${expected}`)
  }
  const need = (character: string, expected = `\`${character}\``): void => {
    if (text[at] !== character) fail(expected)
    at += 1
  }
  const list = (close: string, item: () => void): void => {
    at += 1
    skip()
    if (text[at] === close) {
      at += 1
      return
    }
    for (;;) {
      item()
      skip()
      if (text[at] !== ",") break
      at += 1
    }
    need(close, `\`,\` or \`${close}\``)
  }
  const value = (depth: number): void => {
    skip()
    if (depth > maxDepth) fail("less nesting")
    if (text[at] === "{")
      list("}", () => {
        skip()
        if (!match(stringLiteral)) fail("a name in double quotes")
        skip()
        need(":")
        value(depth + 1)
      })
    else if (text[at] === "[") list("]", () => value(depth + 1))
    else if (!match(stringLiteral) && !match(wordLiteral) && !match(numberLiteral)) fail("a value")
  }
  try {
    value(0)
    skip()
    if (at < text.length) fail("the end of the text")
    return undefined
  } catch (error) {
    if (error instanceof Broken) return { offset: error.offset, message: error.message }
    throw error
  }
}
