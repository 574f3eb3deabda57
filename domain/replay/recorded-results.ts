import type { Message, ToolCall, ToolMessage } from "../../contracts/message.ts"
import { canonicalJson } from "../text/json/canonical-json.ts"
import { toolCallsOf } from "../transcript/tool-calls.ts"

/** Returns the text by which calls are equal: the tool's name and the arguments, regardless of the order of keys. */
export const recordedCallKey = ({ name, arguments: args, raw_arguments: raw }: ToolCall): string =>
  `${name} ${args === null ? (raw ?? "") : canonicalJson(args)}`

/** Returns the results of equal calls, in the order in which the calls were made. */
export const recordedResults = (messages: readonly Message[]): ReadonlyMap<string, readonly ToolMessage[]> => {
  const results = new Map<string, ToolMessage[]>()
  for (const [index, message] of messages.entries()) {
    const following = messages.slice(index + 1)
    const end = following.findIndex(({ role }) => role === "assistant")
    const answers = end === -1 ? following : following.slice(0, end)
    for (const call of toolCallsOf(message)) {
      const result = answers.find((answer) => answer.role === "tool" && answer.call_id === call.id)
      if (result?.role === "tool")
        results.set(recordedCallKey(call), [...(results.get(recordedCallKey(call)) ?? []), result])
    }
  }
  return results
}

/** What a call of a replay gets. `made`: how often the recording made it. */
export type OracleAnswer =
  | { readonly kind: "recorded"; readonly result: ToolMessage }
  | { readonly kind: "unrecorded"; readonly made: number }

/** Answers the calls of a replay from the recording: the nth call with the same name and arguments gets the nth recorded result. */
export interface Oracle {
  answer(call: ToolCall): OracleAnswer
}

/** Returns the oracle of a recording. The calls of `before`, the part of the transcript that is kept, have got their results. */
export const createOracle = (messages: readonly Message[], before: readonly Message[]): Oracle => {
  const results = recordedResults(messages)
  const used = new Map<string, number>()
  const take = (key: string): number => {
    const count = used.get(key) ?? 0
    used.set(key, count + 1)
    return count
  }
  for (const message of before) for (const call of toolCallsOf(message)) take(recordedCallKey(call))
  return {
    answer: (call) => {
      const key = recordedCallKey(call)
      const recorded = results.get(key) ?? []
      const result = recorded[take(key)]
      return result === undefined ? { kind: "unrecorded", made: recorded.length } : { kind: "recorded", result }
    },
  }
}
