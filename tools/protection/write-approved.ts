import { join, relative } from "node:path"
import { dataDirName } from "../../domain/workspace/data-directory.ts"
import { isInside } from "../../domain/workspace/is-inside.ts"
import type { ConfinedPath } from "../files/confined-path.ts"
import { type FileVersion, writeConfined } from "../files/write-confined.ts"
import type { ToolContext } from "../tool.ts"
import { findProtected } from "./find-protected.ts"
import { withTree } from "./tree-lock.ts"
import { readRecords, storeApproval } from "./watch-record.ts"

type Place = Pick<ToolContext, "cwd" | "dataDir" | "mayChangeProtected">

/** Returns the commands that run and from which a path is protected, by the ids of their records. */
const watchersOf = async (dataDir: string, path: string): Promise<readonly string[]> => {
  const watchers: string[] = []
  for (const [id, { cwd, namedFiles, hidden }] of await readRecords(dataDir)) {
    if (!isInside(cwd, path)) continue
    const { entries } = await findProtected({ cwd, namedFiles, hidden, unlock: false })
    if (entries.some((entry) => isInside(entry.path, relative(cwd, path)))) watchers.push(id)
  }
  return watchers
}

/**
 * Writes a file as `writeConfined` does. If it is protected and a person approved the change, the commands that run at the same time get the approved
 * content as the state before them: they cannot change it afterwards.
 */
export const writeApproved = async (
  path: ConfinedPath,
  content: string,
  { cwd, dataDir = join(cwd, dataDirName), mayChangeProtected }: Place,
  expected?: FileVersion,
): Promise<{ readonly created: boolean }> => {
  if (mayChangeProtected !== true) return writeConfined(path, content, expected)
  return withTree(cwd, async () => {
    const written = await writeConfined(path, content, expected)
    const approved = { path: path.real, base64: Buffer.from(content).toString("base64"), mode: written.mode }
    for (const id of await watchersOf(dataDir, path.real)) await storeApproval(dataDir, id, approved)
    return written
  })
}
