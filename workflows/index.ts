export { binaryAgent, llmAgent, mcpBridgeAgent } from "./agent/agents.ts"
export { delivery } from "./delivery/delivery.ts"
export { lane } from "./lane/lane.ts"
export { reconcile } from "./reconcile.ts"
