import { z } from "zod"

export const worktreeStatusSchema = z.enum(["open", "unchanged", "changed", "merged", "failed"])
export type WorktreeStatus = z.infer<typeof worktreeStatusSchema>

/** A file that was changed in a worktree. */
export const worktreeFileSchema = z.object({
  /** Relative to the root of the worktree. */
  path: z.string(),
  change: z.enum(["added", "modified", "deleted"]),
  added: z.number().int().nullable().describe("Lines; null for a binary file."),
  deleted: z.number().int().nullable().describe("Lines; null for a binary file."),
  leads_to: z.string().optional().describe("Where a new symbolic link leads, if that is outside of the worktree."),
})
export type WorktreeFile = z.infer<typeof worktreeFileSchema>

/** The git worktree of a session, and what was changed in it. */
export const sessionWorktreeSchema = z.object({
  status: worktreeStatusSchema.describe(
    "`open`: the session works in it; `changed`: the run has ended, and its changes can be merged; `failed`: they could not be read.",
  ),
  source: z.string().describe("The directory whose files it began with."),
  tree: z.string().nullable().describe("Git's hash of all its files at the end of the run."),
  files: z.array(worktreeFileSchema),
  diff: z.string().nullable().describe("Unified diff, without known secrets, and cut if it is long."),
  is_cut: z.boolean(),
  left_out: z.array(z.string()).describe("What is not part of the changes, and why."),
  problem: z.string().nullable(),
})
export type SessionWorktree = z.infer<typeof sessionWorktreeSchema>

/** What a session changed in its worktree, whole, as `git apply` takes it unless a secret was removed. */
export const sessionDiffSchema = z.object({
  session_id: z.string(),
  status: worktreeStatusSchema,
  tree: z.string().nullable().describe("Git's hash of all files with the changes."),
  patch: z.string().describe("Unified diff, without known secrets; empty if nothing was changed."),
  encoding: z.enum(["utf-8", "base64"]).describe("`base64`: the diff contains bytes that are no UTF-8 text."),
  is_whole: z
    .boolean()
    .describe("False after the changes were merged, if the diff is long: then only its beginning is kept."),
  is_redacted: z
    .boolean()
    .default(false)
    .describe("True if secrets were removed: with such a patch, `git apply` would not make the changes."),
})
export type SessionDiff = z.infer<typeof sessionDiffSchema>
