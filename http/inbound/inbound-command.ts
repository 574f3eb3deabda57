import type { Identity } from "../../domain/people/person.ts"
import type { SeenPause } from "../../sessions/decide-request.ts"

/** What a command is about: a task, one pause of it, or both. One of the two is named. */
export interface InboundTarget extends SeenPause {
  readonly taskId?: string | undefined
}

interface InboundDecision extends InboundTarget {
  readonly kind: "approve" | "reject"
  readonly callIds: "all" | readonly string[]
  readonly reason?: string
}

/** What a webhook requests, independent of its sender's format. */
export type InboundCommand =
  | InboundDecision
  | (InboundTarget & { readonly kind: "input" | "steer"; readonly text: string })

/** The person is not one of the approvers, the comment is in another repository, or it is too old to decide what is open now. */
export type WebhookRefusal = "not an approver" | "another repository" | "too old"

/** A verified webhook: its command, its author, and the key that a redelivery shares with it. `ignored`: it contains no command. */
export type InboundWebhook =
  | { readonly kind: "ignored"; readonly answer?: Readonly<Record<string, unknown>> }
  | {
      readonly kind: "command"
      readonly command: InboundCommand
      readonly by: string
      /** Where its author can be told something that others do not see; only Slack has it. */
      readonly replyUrl?: string
      /** What proves who its author is; absent for a program. */
      readonly identity?: Identity
      /** Whether its author is a person, or a program that has the secret. */
      readonly author: "person" | "program"
      /** Why the command does not count although the signature is valid. */
      readonly refusal?: WebhookRefusal | undefined
      readonly deliveryKey: string
      /** How long a redelivery is recognized. */
      readonly keepMs: number
    }
