import type { Message } from "../../../contracts/message.ts"
import type { Fence } from "../fence.ts"
import type { SessionRow } from "../../schema/session-table.ts"

export interface MessageRow {
  readonly seq: number
  readonly runId: string
  readonly step: number
  readonly message: Message
  readonly fence: Fence
  readonly at: string
}

/** The end of a transcript, and its session. */
export interface Tail {
  readonly row: MessageRow | undefined
  readonly isPaused: boolean
  readonly session: Pick<SessionRow, "depth" | "internal">
}
