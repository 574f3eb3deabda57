/** The table of the git worktrees of sessions, and of what was changed in them. */
export interface WorktreeSchema {
  worktrees: {
    session_num: number
    /** See `worktreeStatusSchema`. */
    status: string
    machine: string
    /** The directory in which tools work. */
    path: string
    /** The directory whose files it began with. */
    source: string
    /** Git's hash of all files at the end of the run; null before it, and if they could not be read. */
    tree: string | null
    /** JSON object: what people and models are shown of the changes. */
    details: string | null
    /** The changes: base64 of the compressed patch. */
    patch: string | null
    /** The call that merges the changes, or has merged them. */
    merge_key: string | null
    updated_at: number
  }
}
