import type { RunSnapshot } from "../../contracts/run-snapshot.ts"
import type { StartRequest } from "../start-request.ts"

/** The requested settings of a run. Everything except the directory has a default. */
export interface SettingsRequest extends Omit<
  StartRequest,
  "prompt" | "title" | "label" | "metadata" | "sessionId" | "actor"
> {
  /** The real path of the working directory, which the caller may use. */
  readonly cwd: string
  /** The worktree in which the run works; only a sub-agent's run has one. */
  readonly worktree?: RunSnapshot["worktree"]
  /** The run that starts a sub-agent has a permission that its sub-agents get, too: Bash runs unasked where no sandbox works. */
  readonly inheritsUnconfined?: boolean
}
