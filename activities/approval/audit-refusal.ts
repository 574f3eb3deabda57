import { startOf } from "../../domain/text/foreign/well-formed.ts"
import type { Store } from "../../store/store.ts"

/** A call that the gate refused without anyone having been asked. */
export interface RefusedCall {
  readonly sessionId: string
  readonly runId: string
  readonly callId: string
  readonly name: string
  readonly reason: string
  /** The error code, if the refusal has one. */
  readonly code?: string | undefined
}

const maxReasonChars = 1_000

/** Records a call that a rule refused, once. */
export const auditRefusal = (
  store: Pick<Store, "audit">,
  { sessionId, runId, callId, name, reason, code }: RefusedCall,
): Promise<void> =>
  store.audit.record({
    ...{ key: `refused:${runId}:${callId}`, sessionId, runId, action: "refuse" },
    ...{ by: "adjutant", via: "policy", kind: "program" },
    detail: {
      ...{ call_id: callId, tool: name, reason: startOf(reason, maxReasonChars) },
      ...(code === undefined ? {} : { code }),
    },
  })
