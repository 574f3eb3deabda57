import { lstat } from "node:fs/promises"
import { join } from "node:path"
import { dataDirName } from "../../domain/workspace/data-directory.ts"
import type { ToolContext } from "../tool.ts"
import { storeApproval } from "./watch-record.ts"

/** Notes that a file tool changed a file with a person's approval, so that the check after a command that runs at the same time leaves it. */
export const noteApprovedChange = async (
  path: string,
  { cwd, dataDir, mayChangeProtected }: Pick<ToolContext, "cwd" | "dataDir" | "mayChangeProtected">,
): Promise<void> => {
  if (mayChangeProtected !== true) return
  const { ino } = await lstat(path)
  await storeApproval(dataDir ?? join(cwd, dataDirName), { path, ino })
}
