import type { BinaryProfile, BridgeProfile } from "../../../contracts/config/agent-profile.ts"
import { AdjutantError } from "../../../contracts/adjutant-error.ts"
import type { Execution } from "../../../contracts/run-snapshot.ts"

/** Returns what a profile without a model executes. Throws `forbidden` if binary agents are not allowed. */
export const resolveExecution = (
  name: string,
  profile: BinaryProfile | BridgeProfile,
  allowsBinaryAgents: boolean,
): Execution => {
  if (profile.type === "mcp-bridge") {
    const { type, mcpTool, mcpToolInput, timeoutMs, idempotent } = profile
    return { type, mcpTool, ...(mcpToolInput === undefined ? {} : { mcpToolInput }), timeoutMs, idempotent }
  }
  if (!allowsBinaryAgents)
    throw new AdjutantError(
      "forbidden",
      `profile ${name} runs a program: set security.allowBinaryAgents to true to allow such profiles`,
    )
  const { type, command, args, env, envFrom, stdin, output, timeoutMs, idempotent } = profile
  return {
    ...{ type, command, args, env, timeoutMs, idempotent },
    ...(Object.keys(envFrom).length === 0 ? {} : { envFrom }),
    ...(stdin === undefined ? {} : { stdin }),
    ...(output === "auto" ? {} : { output }),
  }
}
