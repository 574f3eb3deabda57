import type { CallToolResult } from "@modelcontextprotocol/server"
import type { ToolAnswer } from "../../domain/delegation/tool-answer.ts"

export const toCallResult = ({ text, structured, isError }: ToolAnswer): CallToolResult => ({
  content: [{ type: "text", text }],
  structuredContent: { ...structured },
  ...(isError ? { isError: true } : {}),
})
