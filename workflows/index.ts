export { lane } from "./lane.ts"
export { llmAgent } from "./llm-agent.ts"
export { reconcile } from "./reconcile.ts"
