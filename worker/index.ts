export type { ToolContext, ToolResult } from "../tools/tool.ts"
export { defineTool, type Tool } from "../tools/tool.ts"
export { type LogEntry, type RunWorkerOptions, runWorker } from "./run-worker.ts"
export type { RunningWorker } from "./start-worker.ts"
