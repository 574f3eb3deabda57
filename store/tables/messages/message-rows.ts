import type { Message } from "../../../contracts/message.ts"
import type { Fence } from "../fence.ts"
import type { SessionRow } from "../sessions/session-rows.ts"

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

export interface Messages {
  /** Writes a row; returns false if a newer attempt has already written it. */
  put(sessionId: string, row: Omit<MessageRow, "at">): Promise<boolean>
  /** Writes several rows in one transaction, each with its own fence. */
  putAll(sessionId: string, rows: readonly Omit<MessageRow, "at">[]): Promise<void>
  /**
   * Shows the text that starts a run as the last row of the transcript, before the run's workflow assigns its place and writes it again. Once per run.
   */
  accept(sessionId: string, text: Pick<MessageRow, "runId" | "message">): Promise<void>
  /** Removes what `accept` added for a run that could not be started. */
  withdraw(sessionId: string, runId: string): Promise<void>
  /**
   * Returns true if no row above `seq` was written with the fence `since` or a later one. In a transaction this stays so until its end. An abandoned
   * attempt finds out with it that it comes late.
   */
  isEnd(sessionId: string, seq: number, since: Fence): Promise<boolean>
  /**
   * Returns the first row from `seq` on that was written with the fence `since` or a later one, which is undefined at the end of the transcript, and whether
   * the session has an open pause. Undefined for a session that does not exist or is deleted. Others can write right after it.
   */
  tail(sessionId: string, from: { seq: number; since: Fence }): Promise<Tail | undefined>
  /** Returns the last row that a workflow has placed: the head of the transcript without rows that `accept` added. */
  placedHead(sessionId: string): Promise<number>
  get(sessionId: string, seq: number): Promise<MessageRow | undefined>
  /** Returns the rows with `fromSeq <= seq <= headSeq`, in order. */
  read(sessionId: string, range: { fromSeq?: number; headSeq: number }): Promise<readonly MessageRow[]>
  /** Copies rows up to `headSeq` into another session. */
  copy(fromSessionId: string, toSessionId: string, headSeq: number): Promise<void>
}
