export interface InboundDecision {
  readonly kind: "approve" | "reject"
  readonly taskId: string
  readonly checkpointId?: string
  readonly callIds: "all" | readonly string[]
  readonly reason?: string
  /** When the person wrote it, where the sender says so: a pause that opened later was not meant. */
  readonly writtenAtMs?: number
}

/** What a webhook asks for, whatever it came from. */
export type InboundCommand =
  | InboundDecision
  | {
      readonly kind: "input" | "steer"
      readonly taskId: string
      readonly checkpointId?: string
      readonly text: string
    }

/** A verified webhook: what it asks, who asks, and what a redelivery has in common with it. `ignored`: it asks nothing. */
export type InboundWebhook =
  | { readonly kind: "ignored"; readonly answer?: Readonly<Record<string, unknown>> }
  | {
      readonly kind: "command"
      readonly command: InboundCommand
      readonly by: string
      /** False: the signature is valid, but the person is not an approver. */
      readonly isApprover: boolean
      readonly deliveryKey: string
      /** How long a repetition is recognised. */
      readonly keepMs: number
    }
