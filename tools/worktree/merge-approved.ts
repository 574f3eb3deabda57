import { realpath } from "node:fs/promises"
import { contentAt, isSameContent } from "../protection/content.ts"
import { withTree } from "../protection/tree-lock.ts"
import { noteApproved } from "../protection/write-approved.ts"
import { mergePatch, type MergeResult, patchedFiles } from "./apply-patch.ts"

/** A person's approval of a merge that changes protected files. */
export interface ApprovedMerge {
  readonly dataDir: string
  /** The files that the patch changes, relative to the directory. */
  readonly paths: readonly string[]
}

/** Applies a patch as `mergePatch` does. What it makes of the files is not undone by the commands that run at the same time. */
export const mergeApproved = async (
  directory: string,
  patch: Buffer,
  { dataDir, paths }: ApprovedMerge,
): Promise<MergeResult> => {
  const cwd = await realpath(directory)
  return withTree(cwd, async () => {
    const expected = await patchedFiles(cwd, patch, paths)
    const result = await mergePatch(cwd, patch, { isDry: false })
    if (result.kind === "applied") await noteApproved(dataDir, expected)
    if (result.kind !== "partial") return result
    const written = await Promise.all(
      expected.map(async (file) => (isSameContent(file.content, await contentAt(file.path)) ? [file] : [])),
    )
    await noteApproved(dataDir, written.flat())
    return result
  })
}
