export interface InboundDecision {
  readonly kind: "approve" | "reject"
  readonly taskId: string
  readonly checkpointId?: string
  readonly callIds: "all" | readonly string[]
  readonly reason?: string
  /** When the person wrote it, if the sender says so. It does not apply to a pause that opened later. Milliseconds since the epoch. */
  readonly writtenAtMs?: number
}

/** What a webhook requests, independent of its sender's format. */
export type InboundCommand =
  | InboundDecision
  | {
      readonly kind: "input" | "steer"
      readonly taskId: string
      readonly checkpointId?: string
      readonly text: string
    }

/** A verified webhook: its command, its author, and the key that a redelivery shares with it. `ignored`: it contains no command. */
export type InboundWebhook =
  | { readonly kind: "ignored"; readonly answer?: Readonly<Record<string, unknown>> }
  | {
      readonly kind: "command"
      readonly command: InboundCommand
      readonly by: string
      /** False if the signature is valid but the person is not an approver. */
      readonly isApprover: boolean
      readonly deliveryKey: string
      /** How long a redelivery is recognized. */
      readonly keepMs: number
    }
