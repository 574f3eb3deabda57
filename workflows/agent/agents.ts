import type { LlmAgentInput } from "../../domain/session/agent-input.ts"
import { runSession, type SessionResult } from "./run-session.ts"

/** Runs a sub-agent whose runs are turns of a model and the tool calls that it proposes. */
export async function llmAgent(input: LlmAgentInput): Promise<SessionResult> {
  return await runSession(input)
}

/** Runs a sub-agent whose runs are executions of a program: each proposes one call, and takes the same steps as a run with a model. */
export async function binaryAgent(input: LlmAgentInput): Promise<SessionResult> {
  return await runSession(input)
}

/** Runs a sub-agent whose runs are calls of one tool of an MCP server, in the same steps. */
export async function mcpBridgeAgent(input: LlmAgentInput): Promise<SessionResult> {
  return await runSession(input)
}
