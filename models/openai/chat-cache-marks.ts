import type { ChatCompletionContentPartText, ChatCompletionMessageParam } from "openai/resources/chat/completions"
import type { ModelSpec } from "../../contracts/run-snapshot.ts"
import { type CacheMark, cacheMark } from "../anthropic/anthropic-cache-marks.ts"

/** Returns content as a list of parts, since a mark belongs to a part. An empty text stays as it is: as a part it would be refused. */
const inParts = <Part extends { readonly type: string }>(
  content: string | readonly Part[],
  mark: CacheMark | undefined,
): string | (Part | ChatCompletionContentPartText)[] => {
  if (typeof content === "string" && content.trim() === "") return content
  const parts = typeof content === "string" ? [{ type: "text" as const, text: content }] : content
  const last = parts.findLastIndex(({ type }) => type === "text")
  return parts.map((part, index) => (index === last ? { ...part, ...mark } : part))
}

const isOfUser = ({ role }: ChatCompletionMessageParam): boolean => role === "user" || role === "tool"

/**
 * Marks what a gateway is to cache at Anthropic: the system prompt, with the tools before it, and the ends of the last two turns of the user. The newest
 * writes the cache for the next step; the one before is where the previous step wrote it. All texts become lists, so that a prompt continues the one before.
 */
export const withCacheMarks = (
  messages: readonly ChatCompletionMessageParam[],
  spec: Pick<ModelSpec, "cacheMinutes">,
): ChatCompletionMessageParam[] => {
  const mark = cacheMark(spec)
  const ends = messages.flatMap((message, index) => {
    const next = messages[index + 1]
    return isOfUser(message) && (next === undefined || !isOfUser(next)) ? [index] : []
  })
  const marked = new Set([0, ...ends.slice(-2)])
  return messages.map((message, index) => {
    switch (message.role) {
      case "user":
        return { ...message, content: inParts(message.content, marked.has(index) ? mark : undefined) }
      case "system":
      case "developer":
      case "tool":
        return { ...message, content: inParts(message.content, marked.has(index) ? mark : undefined) }
      default:
        return message
    }
  })
}
