import { messageText } from "../../domain/transcript/last-text.ts"
import type { Message, ToolMessage } from "../../contracts/message.ts"
import type { ModelRequest } from "../model-provider.ts"
import type { ScriptedExpectations } from "./script-schema.ts"

const maxShownLength = 300

/** The part of a request that a script's expectations can check. */
export type ShownPrompt = Pick<ModelRequest, "systemPrompt" | "messages" | "tools">

/** Returns the first expectation that is not met, as "expected …, but …"; undefined if all are met. */
export const findMismatch = (expected: ScriptedExpectations, shown: ShownPrompt): string | undefined => {
  return [
    lastMismatch(expected, shown),
    resultsMismatch(expected, shown),
    toolsMismatch(expected, shown),
    countMismatch(expected, shown),
    systemMismatch(expected, shown),
  ].find((mismatch) => mismatch !== undefined)
}

/** Returns the tool results since the model's last answer, oldest first. */
export const lastToolResults = (messages: readonly Message[]): ToolMessage[] => {
  const answered = messages.findLastIndex((message) => message.role === "assistant")
  return messages.slice(answered + 1).filter((message) => message.role === "tool")
}

const lastMismatch = ({ last }: ScriptedExpectations, { messages }: ShownPrompt): string | undefined => {
  const message = messages.at(-1)
  if (!last || !message) return undefined
  const text = messageText(message)
  if ((!last.role || last.role === message.role) && fits(text, last)) return undefined
  return `expected the last message ${expectationText({ role: last.role, ...wordsOf(last) })}, but it was ${message.role}: ${cut(text)}`
}

const resultsMismatch = ({ tool_results }: ScriptedExpectations, { messages }: ShownPrompt): string | undefined => {
  const results = lastToolResults(messages)
  const missing = tool_results?.find(
    (wanted) =>
      !results.some(
        (result) =>
          (!wanted.name || wanted.name === result.name) &&
          (!wanted.outcome || wanted.outcome === result.outcome) &&
          fits(result.content, wanted),
      ),
  )
  if (!missing) return undefined
  const shown = results.map((result) => `${result.name} ${result.outcome} ${cut(result.content)}`).join("; ")
  const wanted = expectationText({ name: missing.name, outcome: missing.outcome, ...wordsOf(missing) })
  return `expected a tool result ${wanted}, but the results were: ${shown || "none"}`
}

const toolsMismatch = ({ tools: wanted }: ScriptedExpectations, { tools }: ShownPrompt): string | undefined => {
  const names = tools.map((tool) => tool.name)
  const missing = wanted?.include?.filter((name) => !names.includes(name)) ?? []
  const present = wanted?.exclude?.filter((name) => names.includes(name)) ?? []
  if (missing.length === 0 && present.length === 0) return undefined
  const requirements = [...missing.map((name) => `tool ${name}`), ...present.map((name) => `no tool ${name}`)].join(
    ", ",
  )
  return `expected ${requirements} to be offered, but offered were: ${names.join(", ") || "none"}`
}

const countMismatch = ({ messages: count }: ScriptedExpectations, { messages }: ShownPrompt): string | undefined =>
  count === undefined || count === messages.length
    ? undefined
    : `expected ${count} messages, but there were ${messages.length}`

const systemMismatch = ({ system }: ScriptedExpectations, { systemPrompt }: ShownPrompt): string | undefined =>
  !system || fits(systemPrompt, system)
    ? undefined
    : `expected the system prompt ${expectationText(wordsOf(system))}, but it was: ${cut(systemPrompt)}`

interface TextExpectations {
  readonly contains?: string | undefined
  readonly matches?: RegExp | undefined
}

const fits = (text: string, { contains, matches }: TextExpectations): boolean =>
  // `search` ignores the state that a regular expression with flag g or y keeps.
  (contains === undefined || text.includes(contains)) && (matches === undefined || text.search(matches) !== -1)

const wordsOf = ({ contains, matches }: TextExpectations) => ({ contains, matches: matches?.toString() })

const expectationText = (wanted: Readonly<Record<string, string | undefined>>): string =>
  JSON.stringify(Object.fromEntries(Object.entries(wanted).filter(([, value]) => value !== undefined)))

const cut = (text: string): string =>
  JSON.stringify(text.length > maxShownLength ? `${text.slice(0, maxShownLength)}…` : text)
