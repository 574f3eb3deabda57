import type { LlmAgentInput } from "../../domain/run/agent-input.ts"
import { callOnce } from "../steps/call-once.ts"
import { runSession } from "./run-session.ts"

/** A sub-agent whose runs are calls of one tool of an MCP server. */
export async function mcpBridgeAgent(input: LlmAgentInput): Promise<void> {
  await runSession(input, callOnce)
}
