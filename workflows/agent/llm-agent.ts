import type { LlmAgentInput } from "../../domain/run/agent-input.ts"
import { runSession } from "./run-session.ts"
import { runSteps } from "../steps/run-steps.ts"

/** A sub-agent whose runs are turns of a model and the tool calls that it proposes. */
export async function llmAgent(input: LlmAgentInput): Promise<void> {
  await runSession(input, runSteps)
}
