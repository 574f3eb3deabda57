import type { AssistantMessage, AssistantPart } from "../../../contracts/message.ts"
import { startOf } from "../../text/foreign/well-formed.ts"
import { readArguments, type ReadingTool } from "./read-arguments.ts"

/** Returns an answer with the arguments of its calls as they were read: policies, approvals, hooks, tools and later requests see these. */
export const readCalls = (message: AssistantMessage, tools: readonly ReadingTool[]): AssistantMessage => {
  const byName = new Map(tools.map((tool) => [tool.name, tool]))
  const read = (part: AssistantPart): AssistantPart => {
    if (part.type !== "tool_call" || part.call.arguments === null) return part
    const tool = byName.get(part.call.name)
    if (tool === undefined) return part
    const { arguments: args, ignored } = readArguments(tool, part.call.arguments)
    const noted = ignored.length === 0 ? {} : { ignored_arguments: [...ignored] }
    return { ...part, call: { ...part.call, arguments: args, ...noted } }
  }
  return { ...message, parts: message.parts.map(read) }
}

const maxIgnored = 10
const maxCharacters = 60

/** Returns a result with the names of the arguments that were left out. */
export const withIgnored = (content: string, ignored: readonly string[] = []): string => {
  if (ignored.length === 0) return content
  const names = ignored.slice(0, maxIgnored).map((name) => startOf(name, maxCharacters))
  const more = ignored.length > maxIgnored ? ` and ${ignored.length - maxIgnored} more` : ""
  return `${content}\n\n(ignored, because the tool does not have it: ${names.join(", ")}${more})`
}
