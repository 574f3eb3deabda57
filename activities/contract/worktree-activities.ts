import type { RunScope } from "./run-scope.ts"

/** Activities for sessions that work in a git worktree, on the machine that has their working directory. */
export interface WorktreeActivities {
  /** Creates the session's worktree unless it is there. `refusal`: why it cannot have one. */
  openWorktree(
    input: RunScope,
  ): Promise<{ readonly refusal: { readonly code: string; readonly message: string } | null }>
  /** Stores what was changed in the worktree, and removes it. */
  closeWorktree(input: RunScope): Promise<void>
}
