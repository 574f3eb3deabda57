import type { ProposedCall } from "../../../domain/calls/tool-batch.ts"

/** Returns a proposed call with the defaults of an approved read-only tool. */
export const proposed = (id: string, over: Partial<ProposedCall> = {}): ProposedCall => ({
  id,
  name: "Read",
  kind: "tool",
  disposition: "auto",
  readOnly: true,
  idempotent: true,
  preview: "{}",
  ...over,
})

export const mutating = (id: string, over: Partial<ProposedCall> = {}): ProposedCall =>
  proposed(id, { name: "Write", readOnly: false, idempotent: false, ...over })
