export { llmAgent } from "./llm-agent.ts"
export { reconcile } from "./reconcile.ts"
