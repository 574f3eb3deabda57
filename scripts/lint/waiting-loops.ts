import type { SourceFile } from "../structure/product-sources.ts"
import { scanTokens, type Token } from "./scan-tokens.ts"

/** A top-level statement of a file, with the name that it declares. */
interface Declaration {
  readonly file: string
  readonly name: string
  readonly tokens: readonly Token[]
}

/** A loop whose awaited condition could be true every time, so that the loop never yields. */
export interface WaitingLoop {
  readonly file: string
  readonly line: number
}

/** The comment on the line before a loop that explains why it cannot spin, for loops where these rules cannot determine it. */
const reason = /^\s*\/\/ Never spins: \S.{19,}$/

/** Calls that the engine records, and that never complete immediately. */
const durableCalls = new Set(["sleep", "startChild", "continueAsNew"])

const declarationsOf = ({ file, text }: SourceFile): readonly Declaration[] => {
  const tokens = scanTokens(text)
  const starts = tokens.flatMap(({ column, kind }, at) => (column === 0 && kind === "word" ? [at] : []))
  return starts.map((start, index) => {
    const statement = tokens.slice(start, starts[index + 1])
    const at = statement.findIndex(({ text: word }) => word === "const" || word === "function")
    return { file, name: statement[at + 1]?.text ?? "", tokens: statement }
  })
}

const isCall = (tokens: readonly Token[], at: number): boolean =>
  tokens[at]?.kind === "word" && tokens[at + 1]?.text === "("

/** Returns the index behind the bracket that closes the one at `open`. */
const behind = (tokens: readonly Token[], open: number): number => {
  let depth = 0
  for (const [at, { kind, text }] of tokens.entries()) {
    if (at < open || kind !== "mark") continue
    if (/^[([{]$/.test(text)) depth += 1
    else if (/^[)\]}]$/.test(text)) depth -= 1
    if (depth === 0) return at + 1
  }
  return tokens.length
}

const namesOfCalls = (tokens: readonly Token[]): readonly string[] =>
  tokens.flatMap(({ text }, at) => (isCall(tokens, at) ? [text] : []))

/** Adds the declarations that call one of the names, and those that call these, until there are no more. */
const callersOf = (names: ReadonlySet<string>, all: readonly Declaration[]): ReadonlySet<string> => {
  const found = new Set(names)
  for (let before = -1; before < found.size;) {
    before = found.size
    for (const { name, tokens } of all) if (namesOfCalls(tokens).some((called) => found.has(called))) found.add(name)
  }
  return found
}

/** Returns whether the engine records the call after an `await`: one of `storeActivities`, or one of the names. */
const isDurable = (tokens: readonly Token[], awaitAt: number, names: ReadonlySet<string>): boolean => {
  const callee = tokens[awaitAt + 1]
  return (
    callee?.text === "storeActivities" ||
    (callee !== undefined && isCall(tokens, awaitAt + 1) && names.has(callee.text))
  )
}

/** Returns whether every pass through a block takes a durable step: an unconditional one, before any of the words that leave the pass. */
const alwaysSteps = (block: readonly Token[], leaves: RegExp, names: ReadonlySet<string>): boolean => {
  const base = block[0]?.column
  let lineStart: Token | undefined
  let isConditional = false
  for (const [at, token] of block.entries()) {
    if (token.line !== lineStart?.line) {
      lineStart = token
      isConditional = token.column !== base
    }
    if (/^(?:if|else|\?|&|\||=>)$/.test(token.text)) isConditional = true
    if (leaves.test(token.text) && token.kind === "word") return false
    if (token.text === "await" && !isConditional && isDurable(block, at, names)) return true
  }
  return false
}

const bodyOf = (tokens: readonly Token[]): readonly Token[] => {
  const arrow = tokens.findIndex(({ text }, at) => text === "=>" && tokens[at + 1]?.text === "{")
  const at = arrow === -1 ? tokens.findIndex(({ text }) => text === "{") : arrow + 1
  return at <= 0 ? [] : tokens.slice(at + 1, behind(tokens, at) - 1)
}

const withDurable = (all: readonly Declaration[]): ReadonlySet<string> => {
  const names = new Set(durableCalls)
  for (let before = -1; before < names.size;) {
    before = names.size
    for (const { name, tokens } of all) if (alwaysSteps(bodyOf(tokens), /^return$/, names)) names.add(name)
  }
  return names
}

/** Returns the blocks of loops, except those that iterate over a list. */
const loopsOf = (tokens: readonly Token[]): readonly { readonly line: number; readonly block: readonly Token[] }[] =>
  tokens.flatMap(({ kind, text, line }, at) => {
    if (kind !== "word" || !/^(?:for|while|do)$/.test(text)) return []
    const open = text === "do" ? at + 1 : behind(tokens, at + 1)
    if (tokens.slice(at, open).some(({ text: word }) => word === "of")) return []
    if (tokens[open]?.text !== "{") return [{ line, block: tokens.slice(open, open + 20) }]
    return [{ line, block: tokens.slice(open + 1, behind(tokens, open) - 1) }]
  })

/**
 * Returns the loops of workflow code that await a condition, directly or in a function that they call, without a durable step in every pass. Such a loop
 * spins inside one workflow task and never yields if the condition is already true. A loop that cannot spin explains why on the line before it, after
 * `// Never spins: `.
 */
export const findWaitingLoops = (sources: readonly SourceFile[]): readonly WaitingLoop[] => {
  const all = sources.flatMap(declarationsOf)
  const waiting = callersOf(new Set(["condition"]), all)
  const durable = withDurable(all)
  return sources.flatMap(({ file, text }) => {
    const lines = text.split("\n")
    return declarationsOf({ file, text })
      .flatMap(({ tokens }) => loopsOf(tokens))
      .filter(({ block }) => namesOfCalls(block).some((name) => waiting.has(name)))
      .filter(({ block }) => !alwaysSteps(block, /^continue$/, durable))
      .filter(({ line }) => !reason.test(lines[line - 2] ?? ""))
      .map(({ line }) => ({ file, line }))
  })
}
