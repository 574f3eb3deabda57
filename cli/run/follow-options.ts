import type { PendingToolCall } from "../../contracts/approval/pause.ts"

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
