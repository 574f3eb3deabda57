import type { SessionWorktree } from "../../contracts/delegation/worktree.ts"
import type { WorktreeRow } from "../../store/store.ts"

const maxShownFiles = 200

/** Returns a session's worktree as people and models are shown it. */
export const worktreeView = ({ status, source, tree, details }: WorktreeRow): SessionWorktree => {
  const files = details?.files ?? []
  return {
    status,
    source,
    tree,
    files: files.slice(0, maxShownFiles),
    diff: details?.diff ?? null,
    is_cut: (details?.is_cut ?? false) || files.length > maxShownFiles,
    left_out: details?.left_out ?? [],
    problem: details?.problem ?? null,
  }
}
