import type { RunSnapshot } from "../../contracts/run-snapshot.ts"

/** Returns the directory in which the tools of a run work: its git worktree if it has one, else its working directory. */
export const toolDirectory = ({ cwd, worktree }: Pick<RunSnapshot, "cwd" | "worktree">): string => worktree?.path ?? cwd
