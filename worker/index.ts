export { defineTool, type Tool, type ToolContext, type ToolResult } from "./program-tools.ts"
export { type LogEntry, type RunWorkerOptions, runWorker } from "./run-worker.ts"
export type { RunningWorker } from "./start-worker.ts"
