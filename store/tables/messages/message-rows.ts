import type { Message } from "../../../contracts/message.ts"
import type { Fence } from "../fence.ts"

export interface MessageRow {
  readonly seq: number
  readonly runId: string
  readonly step: number
  readonly message: Message
  readonly fence: Fence
  readonly at: string
}

export interface Messages {
  /** Writes a row; returns false if a newer attempt has already written it. */
  put(sessionId: string, row: Omit<MessageRow, "at">): Promise<boolean>
  /** Writes several rows in one transaction, each with its own fence. */
  putAll(sessionId: string, rows: readonly Omit<MessageRow, "at">[]): Promise<void>
  get(sessionId: string, seq: number): Promise<MessageRow | undefined>
  /** Returns the rows with `fromSeq <= seq <= headSeq`, in order. */
  read(sessionId: string, range: { fromSeq?: number; headSeq: number }): Promise<readonly MessageRow[]>
  /** Copies rows up to `headSeq` into another session. */
  copy(fromSessionId: string, toSessionId: string, headSeq: number): Promise<void>
}
