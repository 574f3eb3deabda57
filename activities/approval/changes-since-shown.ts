import type { RunSnapshot } from "../../contracts/run-snapshot.ts"
import { type Confinement, startsProcesses } from "../../domain/approval/process-sandbox.ts"
import type { CallPreviewRow } from "../../store/store.ts"
import type { Tool } from "../../tools/tool.ts"
import type { AgentDependencies } from "../agent-dependencies.ts"
import type { RunToolInput } from "../contract/agent-activities.ts"
import { fileChange } from "./watched-files.ts"
import { isForeignTool, toolChange, watchForeignTool } from "./watched-tool.ts"

/** A call as it would run now. */
interface Present {
  readonly snapshot: RunSnapshot
  readonly tool: Pick<Tool, "name">
  /** The paths of the files that it writes. */
  readonly writes: readonly string[]
  readonly confinement: () => Promise<Confinement>
}

/** Returns how the sandbox of a call is less now than people were shown. */
const lostConfinement = ({ confined, opens }: CallPreviewRow["preview"], now: Confinement): string | undefined => {
  if (confined === undefined) return "nobody was shown whether a sandbox would confine it"
  if (!confined || (opens === "sandbox" && now.opens === "sandbox")) return undefined
  if (!now.confined) return "it would have run in a sandbox, and there is none now"
  if (now.opens === undefined || now.opens === opens || opens === "network") return undefined
  return now.opens === "hosts"
    ? "its sandbox no longer reaches the hosts that it asks for"
    : "its sandbox cannot be limited to the hosts that it asks for, and would open the whole network"
}

/** Returns whether what a call does depends on more than its arguments. Without a preview, nobody has decided on that. */
const dependsOnPlace = ({ tool: { name }, writes }: Present): boolean =>
  startsProcesses(name) || isForeignTool(name) || writes.length > 0

/**
 * Returns how a call differs from the one that people were shown and decided on: by its sandbox, its file, or how its MCP server describes the tool. What
 * cannot be compared counts as different.
 */
export const changesSinceShown = async (
  { store, previews, mcp }: Pick<AgentDependencies, "store" | "previews" | "mcp">,
  input: Pick<RunToolInput, "sessionId" | "resultSeq" | "callId" | "isPreviewed" | "answer">,
  present: Present,
): Promise<readonly string[]> => {
  const { sessionId, resultSeq: seq, callId, answer, isPreviewed } = input
  if (answer !== undefined || (isPreviewed !== true && !dependsOnPlace(present))) return []
  const [row] = await store.callPreviews.read(sessionId, { from: seq, to: seq })
  if (row?.callId !== callId) return ["no preview of it is stored, so that nobody was shown how it would run"]
  const { tool } = present
  const change = isForeignTool(tool.name)
    ? toolChange(row.watched, await watchForeignTool({ mcp }, present.snapshot, tool.name, { isFresh: true }))
    : await fileChange(previews, present.snapshot, row.watched)
  const lost = startsProcesses(tool.name) ? lostConfinement(row.preview, await present.confinement()) : undefined
  return [lost, change].filter((text) => text !== undefined)
}
