import type { AssistantMessage, AssistantPart, Message, ToolMessage } from "../../../contracts/message.ts"
import type { ModelSpec } from "../../../contracts/run-snapshot.ts"
import type { ModelDelta, ModelRequest, ToolSpec } from "../../../models/model-provider.ts"

export const readTool: ToolSpec = {
  name: "Read",
  description: "Reads a file.",
  inputSchema: { type: "object", properties: { file_path: { type: "string" } }, required: ["file_path"] },
}

export const modelSpec = (fields: Partial<ModelSpec> = {}): ModelSpec => ({
  provider: "anthropic",
  model: "claude-opus-5-5",
  maxOutputTokens: 1000,
  price: null,
  ...fields,
})

/** Returns a request with a system prompt, one user message and one tool; `deltas` collects the streamed text. */
export function createModelRequest(
  fields: Partial<ModelRequest> = {},
): ModelRequest & { readonly deltas: ModelDelta[] } {
  const deltas: ModelDelta[] = []
  return {
    spec: modelSpec(),
    apiKey: "sk-test-secret-key",
    systemPrompt: "You are a careful agent.",
    messages: [createUserMessage("Read a.txt.")],
    tools: [readTool],
    maxOutputTokens: 1000,
    cacheKey: "session-1",
    signal: new AbortController().signal,
    onDelta: (delta) => deltas.push(delta),
    ...fields,
    deltas,
  }
}

export const createUserMessage = (text: string): Message => ({ role: "user", source: "instruction", text })

export const createToolResult = (callId: string, content: string, fields: Partial<ToolMessage> = {}): ToolMessage => ({
  role: "tool",
  call_id: callId,
  name: "Read",
  outcome: "ok",
  content,
  ...fields,
})

export const createAssistantMessage = (
  parts: readonly AssistantPart[],
  fields: Partial<AssistantMessage> = {},
): AssistantMessage => ({
  role: "assistant",
  provider: "anthropic",
  model: "claude-opus-5-5",
  parts: [...parts],
  usage: { inputTokens: 1, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0, reasoningTokens: 0 },
  stop: "end_turn",
  ...fields,
})

export const createCallPart = (id: string, args: Record<string, unknown> | null = {}, raw?: string): AssistantPart => ({
  type: "tool_call",
  call: { id, name: "Read", arguments: args, ...(raw === undefined ? {} : { raw_arguments: raw }) },
})
