import type { PendingToolCall } from "../../contracts/approval/pause.ts"
import type { CliContext } from "../program/cli-context.ts"
import { isTerminal } from "../terminal/paint.ts"

/** Whether to show the progress, as a command was asked. */
export interface WatchFlags {
  readonly watch?: boolean
  readonly quiet?: boolean
}

/** Returns whether the progress of a run is shown: on request, and by default where a person looks at it. */
export const isWatched = (
  { io, env, options }: Pick<CliContext, "io" | "env" | "options">,
  { watch, quiet }: WatchFlags,
): boolean => watch === true || (quiet !== true && options.output === "text" && isTerminal(io.stderr, env))

export interface FollowOptions {
  readonly sessionId: string
  /** Events up to this id are old. */
  readonly afterEvent: number
  readonly watch: boolean
  /** Calls that were proposed before `afterEvent`, to be shown with their arguments when they run. */
  readonly pendingCalls?: readonly PendingToolCall[]
  /** The same command has followed the run before. */
  readonly isContinued?: boolean
  /** What the first SIGINT or SIGTERM does to the run; SIGHUP leaves it. */
  readonly onInterrupt: "cancel" | "leave"
  readonly timeoutSeconds?: number
}
