import type { ModelSpec } from "../../contracts/run-snapshot.ts"
import type { MessageParam, TextBlockParam, Tool, UserMessageParam } from "@anthropic-ai/sdk/resources/messages"
import type { WireTool } from "../wire/wire-tools.ts"

/** A mark of the provider's usual five minutes, or of an hour. */
export type CacheMark = { readonly cache_control: { readonly type: "ephemeral"; readonly ttl?: "1h" } }

/** Returns the mark for a model. */
export const cacheMark = ({ cacheMinutes }: Pick<ModelSpec, "cacheMinutes">): CacheMark => ({
  cache_control: { type: "ephemeral", ...(cacheMinutes === 60 ? { ttl: "1h" } : {}) },
})

/** Returns the tools with a cache mark after the last one. */
export const markedTools = (tools: readonly WireTool[], mark: CacheMark = cacheMark({})): Tool[] =>
  tools.map((tool, index) => ({
    name: tool.name,
    description: tool.description,
    input_schema: tool.schema,
    ...(index === tools.length - 1 ? mark : {}),
  }))

export const markedSystem = (systemPrompt: string, mark: CacheMark = cacheMark({})): TextBlockParam[] =>
  systemPrompt.trim() === "" ? [] : [{ type: "text", text: systemPrompt, ...mark }]

/**
 * Marks the last two user messages. The newest writes the cache for the next step; the one before is where the previous step wrote it (without the
 * mark, a step with many calls would exceed the cache's look-back). With those of tools and system, these are the four marks that are allowed.
 */
export const markedMessages = (messages: readonly MessageParam[], mark: CacheMark = cacheMark({})): MessageParam[] => {
  const toMark = new Set(messages.filter((message) => message.role === "user").slice(-2))
  return messages.map((message) => (message.role === "user" && toMark.has(message) ? withMark(message, mark) : message))
}

const withMark = (message: UserMessageParam, mark: CacheMark): UserMessageParam => {
  if (!Array.isArray(message.content)) return message
  const last = message.content.at(-1)
  if (last?.type !== "text" && last?.type !== "tool_result") return message
  return { ...message, content: [...message.content.slice(0, -1), { ...last, ...mark }] }
}
