import { lstat } from "node:fs/promises"
import { dirname, join } from "node:path"
import { diskPath } from "../disk/disk-path.ts"
import { dataDirName } from "../../domain/workspace/data-directory.ts"
import { isInside } from "../../domain/workspace/is-inside.ts"
import type { ConfinedPath } from "../disk/open-confined.ts"
import { type ExpectedFile, type FileVersion, removeConfined, writeConfined } from "../disk/write-confined.ts"
import type { ToolContext } from "../tool.ts"
import { hashOfBytes } from "./content.ts"
import { findProtected } from "./find-protected.ts"
import { withTree } from "./tree-lock.ts"
import { type ApprovedFile, readRecords, storeApproval, type WatchRecord } from "./watch-record.ts"

type Place = Pick<ToolContext, "cwd" | "dataDir" | "mayChangeProtected">

/** Returns a function that returns whether a path is protected from the command of a record: what is there now, or was before the command. */
const protectionOf = async ({ cwd, namedFiles, hidden, entries: before }: WatchRecord) => {
  const { entries } = await findProtected({ cwd, namedFiles, hidden, unlock: false })
  const known = [...entries.map(({ path }) => join(cwd, path)), ...before.map(({ path }) => path)]
  return (path: string): boolean => isInside(cwd, path) && known.some((each) => isInside(each, path))
}

/** Returns the directories above a path that is gone, as far as they are gone with it. */
const goneAbove = async (cwd: string, path: string): Promise<readonly ApprovedFile[]> => {
  const gone: ApprovedFile[] = []
  for (let directory = dirname(path); directory !== cwd && isInside(cwd, directory); directory = dirname(directory)) {
    if ((await lstat(diskPath(directory)).catch(() => undefined)) !== undefined) break
    gone.push({ path: directory, content: { type: "absent" } })
  }
  return gone
}

/** Makes what a person approved the state before the commands that run at the same time: it is not undone when they end, and they cannot change it. */
export const noteApproved = async (dataDir: string, files: readonly ApprovedFile[]): Promise<void> => {
  for (const [id, record] of await readRecords(dataDir)) {
    const isProtected = await protectionOf(record)
    for (const file of files) {
      if (!isProtected(file.path)) continue
      const above = file.content.type === "absent" ? await goneAbove(record.cwd, file.path) : []
      for (const each of [file, ...above.filter(({ path }) => isProtected(path))])
        await storeApproval(dataDir, id, each)
    }
  }
}

/** Writes a file as `writeConfined` does. If it is protected, a person has approved the change; see `noteApproved`. */
export const writeApproved = async (
  path: ConfinedPath,
  content: string,
  { cwd, dataDir = join(cwd, dataDirName), mayChangeProtected }: Place,
  expected?: ExpectedFile,
): Promise<{ readonly created: boolean }> => {
  if (mayChangeProtected !== true) return writeConfined(path, content, expected)
  return withTree(cwd, async () => {
    const written = await writeConfined(path, content, expected)
    const bytes = Buffer.from(content)
    const approved = { type: "file", hash: hashOfBytes(bytes), mode: written.mode } as const
    await noteApproved(dataDir, [{ path: path.real, content: approved, base64: bytes.toString("base64") }])
    return written
  })
}

/** Removes a file as `removeConfined` does. If it is protected, a person has approved the change; see `noteApproved`. */
export const removeApproved = async (
  path: ConfinedPath,
  { cwd, dataDir = join(cwd, dataDirName), mayChangeProtected }: Place,
  expected: FileVersion,
): Promise<void> => {
  if (mayChangeProtected !== true) return removeConfined(path, expected)
  await withTree(cwd, async () => {
    await removeConfined(path, expected)
    await noteApproved(dataDir, [{ path: path.real, content: { type: "absent" } }])
  })
}
