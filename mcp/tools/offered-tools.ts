import { type AdvertisedTool, delegationTools } from "../../contracts/delegation/delegation-tools.ts"
import { profileTools } from "../../contracts/delegation/profile-tools.ts"
import type { ToolSurface } from "../../domain/advice/surface.ts"
import { mayRunCommands } from "../../domain/tools/subagent-tools.ts"
import { mergeToolName } from "../../domain/tools/tool-names.ts"
import type { McpSettings } from "../mcp-context.ts"
import { mayChangeProfiles } from "./profiles.ts"

/** Returns the tools of the toolsets that the configuration allows. */
export const knownTools = (settings: McpSettings): readonly AdvertisedTool[] => [
  ...delegationTools.filter(
    ({ family, name }) =>
      settings.toolsets.includes(family) &&
      // Only an agent has sub-agents with worktrees.
      name !== mergeToolName &&
      (name !== "run_command_task" || mayRunCommands(settings.loaded.config)),
  ),
  ...(mayChangeProfiles(settings) ? profileTools : []),
]

/** Returns those of them that the client can call. */
export const offeredTools = (settings: McpSettings): readonly AdvertisedTool[] =>
  knownTools(settings).filter((tool) => tool.readOnly || !settings.readOnly)

/** Returns what the client's model can do: what advice to it may name. */
export const clientSurface = (settings: McpSettings): ToolSurface => ({
  kind: "tool",
  tools: offeredTools(settings).map(({ name }) => name),
  isTold: false,
  mayApprove: !settings.noApprove,
})
