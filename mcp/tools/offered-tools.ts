import { type AdvertisedTool, delegationTools } from "../../contracts/delegation/delegation-tools.ts"
import { waitTool } from "../../domain/advice/tool-calls.ts"
import { profileTools } from "../../contracts/delegation/profile-tools.ts"
import type { ToolSurface } from "../../domain/advice/surface.ts"
import { mayRunCommands } from "../../domain/profiles/subagent-tools.ts"
import { mergeToolName } from "../../domain/tools/tool-names.ts"
import type { McpSettings } from "../mcp-context.ts"
import { mayChangeProfiles } from "./profiles.ts"

/** Returns the tools of the toolsets that the configuration allows. */
export const knownTools = (settings: McpSettings): readonly AdvertisedTool[] => [
  ...delegationTools.filter(
    ({ family, name }) =>
      (settings.toolsets.includes(family) ||
        // A `Task` call that is answered before its sub-agent has ended needs something to collect the rest.
        (name === "wait_for_tasks" && settings.toolsets.includes("task"))) &&
      // Only an agent has sub-agents with worktrees.
      name !== mergeToolName &&
      (name !== "run_command_task" || mayRunCommands(settings.loaded.config)),
  ),
  ...(mayChangeProfiles(settings) ? profileTools : []),
]

const callable = (settings: McpSettings): readonly AdvertisedTool[] =>
  knownTools(settings).filter((tool) => tool.readOnly || !settings.readOnly)

/** Returns those of them that the client can call, as it reads them. */
export const advertisedTools = (settings: McpSettings): readonly AdvertisedTool[] => {
  const surface = clientSurface(settings)
  return callable(settings).map((tool) => describedFor(tool, surface))
}

/** Returns a tool as the client reads it: nothing is delivered to a client, so that it says where results come from. */
const describedFor = (tool: AdvertisedTool, surface: ToolSurface): AdvertisedTool => {
  const wait = tool.isAwaited === true ? waitTool(surface) : undefined
  if (wait === undefined) return tool
  const note = `Do not poll: results come from ${wait}, or from your client if it runs calls as MCP tasks.`
  return { ...tool, description: `${tool.description} ${note}` }
}

/** Returns what the client's model can do: what advice to it may name. */
export const clientSurface = (settings: McpSettings): ToolSurface => ({
  kind: "tool",
  tools: callable(settings).map(({ name }) => name),
  isTold: false,
  mayApprove: !settings.noApprove,
})
