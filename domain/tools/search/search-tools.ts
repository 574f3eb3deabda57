import { startOf } from "../../text/foreign/well-formed.ts"

/** A tool as a model is told of it. */
export interface FoundTool {
  readonly name: string
  readonly description: string
  readonly inputSchema: Readonly<Record<string, unknown>>
}

const wordsOf = (text: string): readonly string[] =>
  text
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== "")

/** A word without the ending of a plural. */
const stem = (word: string): string => (word.length > 3 && word.endsWith("s") ? word.slice(0, -1) : word)

/** More words of a query, or more tools and longer texts of a server, would keep the worker busy. */
const searched = { words: 50, tools: 5_000, name: 200, description: 1_000, descriptions: 2_000_000 } as const

/** Returns how many characters of each description are searched. */
const describedLength = (tools: readonly FoundTool[]): number =>
  Math.min(searched.description, Math.floor(searched.descriptions / tools.length))

const inName = 4
const inDescription = 1

/** Returns how well a tool fits: how many words of the query it has, and then where. */
const fitOf = ({ name, description }: FoundTool, words: readonly string[], length: number) => {
  const names = wordsOf(startOf(name, searched.name)).map(stem)
  const described = new Set(wordsOf(startOf(description, length)).map(stem))
  const scores = words.map((word) => {
    if (names.includes(word)) return inName * 2
    if (names.some((each) => each.includes(word))) return inName
    return described.has(word) ? inDescription : 0
  })
  return { found: scores.filter((score) => score > 0).length, score: scores.reduce((sum, score) => sum + score, 0) }
}

/**
 * Returns the tools that fit a query, the best first; of tools that fit equally well, in their order. A tool's own name finds only that tool, and is all that
 * finds a tool after the first 5,000.
 */
export const searchTools = <Each extends FoundTool>(tools: readonly Each[], query: string): readonly Each[] => {
  const exact = tools.filter(({ name }) => name === query.trim())
  if (exact.length > 0) return exact
  const words = [...new Set(wordsOf(query).map(stem))].slice(0, searched.words)
  const first = tools.slice(0, searched.tools)
  const length = describedLength(first)
  return first
    .map((tool) => ({ tool, ...fitOf(tool, words, length) }))
    .filter(({ found }) => found > 0)
    .toSorted((left, right) => right.found - left.found || right.score - left.score)
    .map(({ tool }) => tool)
}

const most = { described: 8, names: 60, description: 1_000, schema: 8_000, text: 24_000 } as const

const toolDescription = ({ name, description, inputSchema }: FoundTool): string =>
  `${name}\n${startOf(description, most.description)}\narguments (JSON Schema): ${startOf(JSON.stringify(inputSchema), most.schema)}`

const shortNames = (tools: readonly FoundTool[]): string => {
  const more = tools.length - most.names
  const names = tools.slice(0, most.names).map(({ name }) => name)
  return `${names.join(", ")}${more > 0 ? ` and ${more} more` : ""}`
}

/** Returns what a model is told of the tools that fit its query: the best ones with their arguments, the others by name. */
export const searchText = (tools: readonly FoundTool[], query: string): string => {
  const found = searchTools(tools, query)
  if (tools.length === 0) return "No MCP server offers a tool now."
  if (found.length === 0) return `None of ${tools.length} tools fits: try other words. Tools: ${shortNames(tools)}`
  const described: string[] = []
  let length = 0
  for (const tool of found.slice(0, most.described)) {
    const text = toolDescription(tool)
    if (described.length > 0 && length + text.length > most.text) break
    described.push(text)
    length += text.length
  }
  const rest = found.slice(described.length)
  return [
    `${found.length} of ${tools.length} tools ${found.length === 1 ? "fits" : "fit"}. Call one with call_tool.`,
    ...described,
    ...(rest.length === 0 ? [] : [`Also: ${shortNames(rest)}`]),
  ].join("\n\n")
}
