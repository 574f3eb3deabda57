import { resolve } from "node:path"
import type { BinaryProfile, BridgeProfile } from "../../contracts/config/agent-profile.ts"
import { AdjutantError } from "../../contracts/adjutant-error.ts"
import type { Execution } from "../../contracts/run-snapshot.ts"
import type { LoadedConfig } from "../../config/loaded-config.ts"

/** What a profile without a model runs. Throws `forbidden` where binary agents are not allowed. */
export const resolveExecution = (
  name: string,
  profile: BinaryProfile | BridgeProfile,
  loaded: LoadedConfig,
): Execution => {
  if (profile.type === "mcp-bridge") {
    const { type, mcpTool, mcpToolInput, timeoutMs, idempotent } = profile
    return { type, mcpTool, ...(mcpToolInput === undefined ? {} : { mcpToolInput }), timeoutMs, idempotent }
  }
  if (!loaded.config.security.allowBinaryAgents)
    throw new AdjutantError(
      "forbidden",
      `profile ${name} runs a program: set security.allowBinaryAgents to true to allow such profiles`,
    )
  const { type, args, env, timeoutMs, idempotent } = profile
  const command = profile.command.includes("/") ? resolve(loaded.projectRoot, profile.command) : profile.command
  return { type, command, args, env, timeoutMs, idempotent }
}
