import type { LlmAgentInput } from "../../domain/run/agent-input.ts"
import { callOnce } from "../steps/call-once.ts"
import { runSession } from "./run-session.ts"

/** A sub-agent whose runs are runs of a program. */
export async function binaryAgent(input: LlmAgentInput): Promise<void> {
  await runSession(input, callOnce)
}
