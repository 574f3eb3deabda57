import type { AssistantMessage, AssistantPart } from "../../contracts/message.ts"
import type { Redact } from "../text/redact.ts"

const redactPart = (part: AssistantPart, redact: Redact): AssistantPart => {
  switch (part.type) {
    case "text":
    case "reasoning":
      return { ...part, text: redact(part.text) }
    case "tool_call": {
      const { call } = part
      const name = redact(call.name)
      if (call.raw_arguments === undefined) return { ...part, call: { ...call, name } }
      return { ...part, call: { ...call, name, raw_arguments: redact(call.raw_arguments) } }
    }
    case "opaque":
      return part
    default:
      return part satisfies never
  }
}

/**
 * Removes secrets from what a model wrote, before it is stored; no tool has a name with a secret. The arguments of calls remain, because the tool needs them as they are, and so do
 * opaque parts, which a provider accepts only unchanged; neither is shown unredacted.
 */
export const redactAnswer = (message: AssistantMessage, redact: Redact): AssistantMessage => ({
  ...message,
  parts: message.parts.map((part) => redactPart(part, redact)),
})
