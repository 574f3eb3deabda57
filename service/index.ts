export { defineTool, type Tool, type ToolContext, type ToolResult } from "../worker/program-tools.ts"
export type { ProgramWorker } from "./program-worker.ts"
export { type LogEntry, type RunWorkerOptions, runWorker } from "./run-worker.ts"
export type { RunningWorker } from "../worker/start-worker.ts"
