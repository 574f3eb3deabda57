import type { ToolCall } from "../../../contracts/message.ts"
import type { RunSnapshot } from "../../../contracts/run-snapshot.ts"
import { withFolderGuides } from "../../../domain/notes/folder-guide.ts"
import { guidedFolders, readFolderGuides } from "../../../sessions/notes/folder-guides.ts"
import type { RunToolInput } from "../../contract/agent-activities.ts"
import type { AgentDependencies } from "../../agent-dependencies.ts"
import { toolDirectory } from "../../../domain/workspace/tool-directory.ts"

const fileTools: ReadonlySet<string> = new Set(["Read", "Write", "Edit", "MultiEdit"])

/**
 * Adds to the result of a call on a file what its folders contain for agents, unless another result of the session shows it. The call has
 * been executed: if this fails, its result is what it was.
 */
export const showFolderGuides = async (
  { store, dataDir }: Pick<AgentDependencies, "store" | "dataDir">,
  { sessionId, resultSeq }: Pick<RunToolInput, "sessionId" | "resultSeq">,
  { snapshot, call, content }: { readonly snapshot: RunSnapshot; readonly call: ToolCall; readonly content: string },
): Promise<string> => {
  const path = call.arguments?.["file_path"]
  if (!fileTools.has(call.name) || typeof path !== "string") return content
  try {
    const folders = await guidedFolders(toolDirectory(snapshot), path)
    const unseen = await store.shownFolders.show(sessionId, resultSeq, folders)
    return withFolderGuides(content, await readFolderGuides(unseen, { cwd: toolDirectory(snapshot), dataDir, path }))
  } catch {
    return content
  }
}
