import type { LlmAgentInput } from "../../domain/run/agent-input.ts"
import { callOnce } from "../steps/call-once.ts"
import { runSteps } from "../steps/run-steps.ts"
import { runSession } from "./run-session.ts"

/** Runs a sub-agent whose runs are turns of a model and the tool calls that it proposes. */
export async function llmAgent(input: LlmAgentInput): Promise<void> {
  await runSession(input, runSteps)
}

/** Runs a sub-agent whose runs are executions of a program. */
export async function binaryAgent(input: LlmAgentInput): Promise<void> {
  await runSession(input, callOnce)
}

/** Runs a sub-agent whose runs are calls of one tool of an MCP server. */
export async function mcpBridgeAgent(input: LlmAgentInput): Promise<void> {
  await runSession(input, callOnce)
}
