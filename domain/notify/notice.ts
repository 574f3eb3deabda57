import type { NotifyDestination, NotifyOn } from "../../contracts/config/notify.ts"

/** A call as a message shows it. */
export interface NoticeCall {
  readonly id: string
  readonly summary: string
  /** The first lines of the diff, or the command. */
  readonly text: string
  /** What is unusual about it. */
  readonly flags: readonly string[]
}

/** What a message says, whatever service it goes to. */
export interface Notice {
  readonly kind: keyof NotifyOn
  /** Who asks for what, or how a run ended, in one line. */
  readonly title: string
  readonly task: { readonly id: string; readonly agent: string }
  readonly checkpointId?: string
  /** The question of the agent, or the result of the run. */
  readonly text?: string
  readonly calls: readonly NoticeCall[]
  /** Who decides, if a rule says that. */
  readonly decidedBy?: string
  /** How to decide without a button. */
  readonly how: string
  /** A page that shows everything. */
  readonly url?: string
  /** A signed text that decides the pause once, for a destination that one person reads. */
  readonly word?: string
}

/** The stored body of a delivery to a destination. */
export interface StoredNotice {
  readonly name: string
  readonly destination: NotifyDestination
  readonly notice: Notice
  /** The message that this one replaces, and what became of its pause. */
  readonly update?: { readonly of: string; readonly outcome: string }
}

/** What a service answered: whether it has the message, and by what the message is found again. */
export type NoticeAnswer =
  | { readonly kind: "delivered"; readonly receipt?: string }
  | { readonly kind: "permanent"; readonly reason: string }
  | {
      readonly kind: "again"
      readonly reason: string
      readonly retryAfterMs?: number
      /** Readers who have the message already: the next try leaves them out. */
      readonly reached?: readonly string[]
    }

/** The answer about a message that can no longer be replaced: it is too old, or was deleted. */
export interface Irreplaceable {
  readonly kind: "irreplaceable"
}

export interface NoticeRequest {
  readonly url: string
  readonly method: "POST"
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** Reads the answer of the service; `body` is its JSON, if it is JSON. */
  read(answer: {
    readonly status: number
    readonly retryAfterMs?: number
    readonly body: unknown
  }): NoticeAnswer | Irreplaceable
}

/** What a service needs to send a message. */
export interface NoticeSending {
  readonly key: string
  readonly secret: string
  /** By what the message that will be replaced is found, if it was sent. */
  readonly receipt?: string
  /** By what the first message about the task is found, for services with threads. */
  readonly thread?: string
  /** Since this time an earlier try may have reached the service, whose answer is not known. */
  readonly mayBeThereSince?: string
  /** Readers who have the message already. */
  readonly reached?: readonly string[]
}
