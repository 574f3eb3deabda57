// What a program that gives its worker tools of its own uses of them.
export type { ToolContext, ToolResult } from "../tools/tool.ts"
export { defineTool, type Tool } from "../tools/tool.ts"
