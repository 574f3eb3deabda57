import type { AssistantMessage, AssistantPart, ToolCall } from "../../../contracts/message.ts"
import { isRecord } from "../../text/is-record.ts"
import { parseJson } from "../../text/json/parse-json.ts"
import { callToolName } from "../tool-names.ts"

const nameKeys: readonly string[] = ["name", "tool", "tool_name", "toolName"]
const argumentKeys: readonly string[] = ["arguments", "args", "input", "parameters", "params"]

const fromText = (value: unknown): unknown => {
  if (typeof value !== "string") return value
  try {
    return value.trim() === "" ? {} : parseJson(value)
  } catch {
    return value
  }
}

/** Returns the call that a call of `call_tool` names; undefined if it names none. Models also write the arguments as text, or next to the name. */
const namedCall = (call: ToolCall): ToolCall | undefined => {
  if (call.name !== callToolName || call.arguments === null) return undefined
  const given = call.arguments
  const nameKey = nameKeys.find((key) => typeof given[key] === "string")
  const name = nameKey === undefined ? undefined : given[nameKey]
  if (typeof name !== "string" || name === "" || name === callToolName) return undefined
  const argumentKey = argumentKeys.find((key) => given[key] !== undefined && given[key] !== null)
  const beside = Object.fromEntries(
    Object.entries(given).filter(([key]) => key !== nameKey && !argumentKeys.includes(key)),
  )
  const args = argumentKey === undefined ? beside : fromText(given[argumentKey])
  return isRecord(args) ? { id: call.id, name, arguments: { ...args }, by_call_tool: true } : undefined
}

/**
 * Returns an answer in which a call of `call_tool` is the call of the tool that it names: policies, approvals, hooks, claims and people see that call. A call
 * that names no tool stays as it is, and is refused.
 */
export const withNamedCalls = (message: AssistantMessage): AssistantMessage => {
  const named = (part: AssistantPart): AssistantPart => {
    const call = part.type === "tool_call" ? namedCall(part.call) : undefined
    return part.type !== "tool_call" || call === undefined ? part : { ...part, call }
  }
  return { ...message, parts: message.parts.map(named) }
}
