import type { Audit } from "./tables/audit-rows.ts"
import type { EventType, SessionEvent } from "../contracts/event.ts"
import type { Message, UserSource } from "../contracts/message.ts"
import type { PauseType } from "../contracts/approval/pause.ts"
import type { Bindings } from "./tables/delivery/binding-rows.ts"
import type { Deliveries } from "./tables/delivery/delivery-rows.ts"
import type { EngineMemory, MissingExecutions } from "./engine/engine-rows.ts"
import type { Runs, Sessions, Snapshots } from "./tables/sessions/session-rows.ts"

export type { Audit, AuditRow } from "./tables/audit-rows.ts"
export type { BindingRow, Bindings, NewBinding } from "./tables/delivery/binding-rows.ts"
export type { Deliveries, DeliveryFilter, DeliveryRow, NewDelivery } from "./tables/delivery/delivery-rows.ts"
export type { EngineMemory, LivingRun, MissingExecutions, MissingRow } from "./engine/engine-rows.ts"
export type {
  SessionRow,
  NewSession,
  SessionPatch,
  SessionFilter,
  Sessions,
  EndedSession,
  RunRow,
  Runs,
  Snapshots,
} from "./tables/sessions/session-rows.ts"

/**
 * What remains when the engine forgets: transcripts, event log, claims, audit. Every method is atomic and durable when it resolves.
 * Rejects with `AdjutantError("storage_failed", …)` when the disk or the file is at fault. Safe for several processes on one file.
 */
export interface Store {
  /** Made once per store: names the task queue. */
  readonly storeId: string
  readonly sessions: Sessions
  readonly runs: Runs
  readonly snapshots: Snapshots
  readonly messages: Messages
  readonly inbox: InboxRows
  readonly events: EventLog
  readonly claims: Claims
  readonly pauses: Pauses
  readonly usage: UsageLedger
  readonly todos: {
    read(sessionId: string): Promise<readonly TodoRow[]>
    write(sessionId: string, todos: readonly TodoRow[]): Promise<void>
  }
  readonly audit: Audit
  readonly idempotencyKeys: IdempotencyKeys
  readonly deliveries: Deliveries
  readonly bindings: Bindings
  /** The engine that the store belongs to. */
  readonly engine: EngineMemory
  readonly missing: MissingExecutions
  /** 32 random bytes in hex, made once per store and name, the same for every process; never leaves the store's users. */
  secret(name: string): Promise<string>
  /** Where the HTTP server that listened last is reached, without a slash at the end; undefined before the first. */
  readonly publicAddress: {
    read(): Promise<string | undefined>
    write(url: string): Promise<void>
  }
  /**
   * Several writes in one transaction: all of them or, where the body throws, none. The body awaits nothing but what it is given. `outlasts`
   * says what the commit survives; default `power-cut`. `crash` is for what may be told again, or is worth nothing without a later write.
   */
  transaction<T>(body: (store: WritableStore) => Promise<T>, outlasts?: "crash" | "power-cut"): Promise<T>
  close(): Promise<void>
}

/** The parts of a store as they look from inside a transaction. */
export type WritableStore = Pick<Store, "sessions" | "runs" | "messages" | "inbox" | "claims" | "pauses" | "usage"> & {
  readonly events: Pick<EventLog, "append" | "compactDeltas">
}

export interface TodoRow {
  readonly content: string
  readonly status: "pending" | "in_progress" | "completed"
}

/** Orders the writes of attempts: a row is only replaced by an equal or later fence. From activity scheduled time (ms) and attempt. */
export type Fence = number

// --- transcript -----------------------------------------------------------------------------------------------------------

export interface MessageRow {
  readonly seq: number
  readonly runId: string
  readonly step: number
  readonly message: Message
  readonly fence: Fence
  readonly at: string
}

export interface Messages {
  /** Writes a row; false when a newer attempt already wrote it. */
  put(sessionId: string, row: Omit<MessageRow, "at">): Promise<boolean>
  /** Several rows in one transaction, each fenced on its own. */
  putAll(sessionId: string, rows: readonly Omit<MessageRow, "at">[]): Promise<void>
  get(sessionId: string, seq: number): Promise<MessageRow | undefined>
  /** Rows with `fromSeq <= seq <= headSeq` in order. */
  read(sessionId: string, range: { fromSeq?: number; headSeq: number }): Promise<readonly MessageRow[]>
  /** Copies rows up to `headSeq` into another session. */
  copy(fromSessionId: string, toSessionId: string, headSeq: number): Promise<void>
}

/** A text on its way to a session: written first, then its id is signalled. */
export interface InboxRow {
  readonly id: string
  readonly sessionId: string
  readonly source: UserSource
  readonly text: string
  readonly at: string
}

export interface InboxRows {
  /** Idempotent by id: a repeated id keeps the first text. */
  put(row: Omit<InboxRow, "at">): Promise<void>
  get(sessionId: string, id: string): Promise<InboxRow | undefined>
}

// --- events ---------------------------------------------------------------------------------------------------------------

export interface NewEvent {
  readonly type: EventType
  readonly runId: string
  readonly data: Readonly<Record<string, unknown>>
  /**
   * Unique within (session, run): an event with an ordinal that is already there is not written again. For events that
   * originate in the workflow and ride in an activity's input.
   */
  readonly ordinal?: number
  /**
   * Place of a message that is written already and says more than `data`: `tool_calls` of `tool-calls-proposed` and `preview` of `tool-finished` are
   * told from there to whoever reads, and stored once.
   */
  readonly messageSeq?: number
}

export interface EventLog {
  /** Appends in order, in one transaction; ids follow on per session without gaps. Answers the last id. */
  append(sessionId: string, events: readonly NewEvent[]): Promise<number>
  /**
   * Events with id > `after`, in order. A reader whose `after` is below `firstId - 1` or above `lastId` has a cursor of something that
   * is gone. Compacting makes no gap: what it leaves stands for what it took. `firstId` is 1, `lastId` 0 where there was never an event.
   */
  read(
    sessionId: string,
    options: { after: number; limit: number },
  ): Promise<{ events: readonly SessionEvent[]; firstId: number; lastId: number }>
  /** Id of the newest event, 0 where there is none. */
  lastId(sessionId: string): Promise<number>
  /**
   * Drops the deltas of a finished answer: its whole text is in the transcript. Readers that come later get one delta of each type made
   * from it, in the last one's place and with `whole: true`. Without the transcript's row nothing is dropped.
   */
  compactDeltas(sessionId: string, seq: number): Promise<void>
  /**
   * Follows the log from `after` on, across processes, until the signal fires. A slow consumer reads on from where it was: nothing is
   * buffered for it.
   */
  follow(sessionId: string, options: { after: number; signal: AbortSignal }): AsyncIterable<SessionEvent>
}

// --- claims, pauses, usage, audit -------------------------------------------------------------------------------------------

export interface ClaimRow {
  readonly sessionId: string
  readonly seq: number
  readonly callId: string
  readonly tool: string
  readonly at: string
  readonly done: boolean
}

export interface Claims {
  /** Claims the call whose result belongs at `seq`. `claimed`: go on; `exists`: somebody started it before. */
  claim(claim: Omit<ClaimRow, "at" | "done"> & { fence: Fence }): Promise<{ claimed: boolean; existing?: ClaimRow }>
  /** Marks it done and writes its result row in one transaction. */
  finish(claim: Pick<ClaimRow, "sessionId" | "seq">, row: Omit<MessageRow, "at">): Promise<void>
  get(sessionId: string, seq: number): Promise<ClaimRow | undefined>
}

export interface PauseRow {
  readonly checkpointId: string
  readonly sessionId: string
  readonly runId: string
  readonly ordinal: number
  readonly type: PauseType
  readonly calls: readonly {
    readonly id: string
    readonly name: string
    readonly arguments: Readonly<Record<string, unknown>>
  }[]
  readonly message: string
  readonly openedAt: string
  readonly closedAt: string | null
}

export interface Pauses {
  /** Opens the pause `(run, ordinal)`, or answers the one that is already there: a retry gets the same checkpoint. */
  open(pause: Omit<PauseRow, "openedAt" | "closedAt">): Promise<PauseRow>
  close(sessionId: string, checkpointId: string): Promise<void>
  /** Calls still pending are narrowed as decisions arrive. */
  setCalls(sessionId: string, checkpointId: string, callIds: readonly string[]): Promise<void>
  byCheckpoint(checkpointId: string): Promise<PauseRow | undefined>
  current(sessionId: string): Promise<PauseRow | undefined>
  latest(sessionId: string): Promise<PauseRow | undefined>
  /** Open pauses of all sessions that are not deleted, oldest first. */
  listOpen(filter?: { rootId?: string }): Promise<readonly PauseRow[]>
}

export interface UsageEntry {
  readonly sessionId: string
  readonly runId: string
  readonly step: number
  readonly fence: Fence
  readonly model: string
  readonly inputTokens: number
  readonly outputTokens: number
  readonly cacheReadTokens: number
  readonly cacheWriteTokens: number
  readonly reasoningTokens: number
  /** Integer millionths of a US dollar; null where the price is unknown. */
  readonly costMicroUsd: number | null
}

export type UsageTotals = Omit<UsageEntry, "sessionId" | "runId" | "step" | "fence" | "model">

export interface UsageLedger {
  /** One entry per attempt, idempotent by (session, run, step, fence). */
  put(entry: UsageEntry): Promise<void>
  /** Sums all attempts; `costMicroUsd` is null as soon as one entry's is, 0 where there is none. */
  total(filter: { sessionId: string; runId?: string; step?: number }): Promise<UsageTotals>
}

// --- requests that may come twice -------------------------------------------------------------------------------------------

export interface IdempotencyKey {
  /** Who sent the request. */
  readonly scope: string
  readonly key: string
}

export interface IdempotencyClaim extends IdempotencyKey {
  /** Of the request's content: the same key with another one conflicts. */
  readonly fingerprint: string
  /** How long the answer is kept. */
  readonly keepMs: number
  /** A claim that was not answered for so long is given to the next one: its process died. */
  readonly leaseMs: number
}

/** `begun`: answer it, then `finish` or `release`; `attempt` is the same for every try of one request. `answered`: it was, by this. `conflict`: the key belongs to another content. */
export type IdempotencyState =
  | { readonly kind: "begun"; readonly attempt: string }
  | { readonly kind: "answered"; readonly status: number; readonly body: string }
  | { readonly kind: "conflict" }
  | { readonly kind: "in-progress" }

export interface IdempotencyKeys {
  /** Of several claims at the same time one begins. */
  begin(claim: IdempotencyClaim): Promise<IdempotencyState>
  finish(key: IdempotencyKey, answer: { readonly status: number; readonly body: string }): Promise<void>
  /** As if it had never begun. */
  release(key: IdempotencyKey): Promise<void>
}
