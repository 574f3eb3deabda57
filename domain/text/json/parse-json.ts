/** Deeper values are refused: what reads or writes them recursively would use up the stack. */
export const maxJsonDepth = 200

/** Requests with more names of fields are refused: each is checked by itself, while every other request waits. */
const maxJsonNames = 10_000

interface Scan {
  readonly nestsTooDeep: boolean
  /** Whether the text ends inside a string or an open bracket. */
  readonly isOpen: boolean
  /** How many fields all objects have together. */
  readonly names: number
}

/** Scans a text that begins like JSON, in one pass. */
const scanJson = (text: string): Scan => {
  let depth = 0
  let names = 0
  let inString = false
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at]
    if (inString) {
      if (character === "\\") at += 1
      else if (character === '"') inString = false
    } else if (character === '"') inString = true
    else if (character === "[" || character === "{") {
      depth += 1
      if (depth > maxJsonDepth) return { nestsTooDeep: true, isOpen: true, names }
    } else if (character === ":") names += 1
    else if (character === "]" || character === "}") depth -= 1
  }
  return { nestsTooDeep: false, isOpen: inString || depth > 0, names }
}

/** Returns whether a JSON text nests deeper than `maxJsonDepth`. */
export const nestsTooDeep = (text: string): boolean => scanJson(text).nestsTooDeep

/** Returns why a request with this JSON is refused before it is parsed; undefined if it is not. */
export const requestProblem = (text: string): string | undefined => {
  const { nestsTooDeep: isDeep, names } = scanJson(text)
  if (isDeep) return `nests deeper than ${maxJsonDepth} levels; send flatter JSON`
  return names > maxJsonNames ? `has more than ${maxJsonNames} names of fields; send less per request` : undefined
}

/** Returns whether a text begins as a JSON object and ends before it does. */
export const breaksOff = (text: string): boolean => text.trimStart().startsWith("{") && scanJson(text).isOpen

/** Parses JSON from outside. @throws SyntaxError if it is not valid or nests too deep */
export const parseJson = (text: string): unknown => {
  if (nestsTooDeep(text)) throw new SyntaxError(`the JSON nests deeper than ${maxJsonDepth} levels`)
  return JSON.parse(text)
}

/** Returns whether a value that other code parsed nests deeper than `maxJsonDepth`. */
export const isNestedTooDeep = (value: unknown): boolean => {
  const open: { readonly value: unknown; readonly depth: number }[] = [{ value, depth: 0 }]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (typeof next.value !== "object" || next.value === null) continue
    const depth = next.depth + 1
    if (depth > maxJsonDepth) return true
    for (const each of Object.values(next.value)) open.push({ value: each, depth })
  }
  return false
}
