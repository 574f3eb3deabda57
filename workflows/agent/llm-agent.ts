import type { LlmAgentInput } from "../../domain/run/agent-input.ts"
import { liveSession } from "./session-life.ts"
import { stepUntilEnd } from "../steps/run-steps.ts"

/** A sub-agent whose runs are turns of a model and the tool calls that it proposes. */
export async function llmAgent(input: LlmAgentInput): Promise<void> {
  await liveSession(input, stepUntilEnd)
}
