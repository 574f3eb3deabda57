import type { ErrorCode } from "../../contracts/error-code.ts"
import type { GateReason } from "../../domain/approval/gate.ts"
import { startOf } from "../../domain/text/foreign/well-formed.ts"
import type { Store } from "../../store/store.ts"

type RefusalCode = Extract<ErrorCode, "sandbox_unavailable" | "needs_approval" | "forbidden">

/** Returns the error code of a refusal by the gate: of a call, and of a run without a model whose one call it is. */
export const refusalCode = ({ about }: Pick<GateReason, "about">): RefusalCode => {
  switch (about) {
    case "sandbox":
      return "sandbox_unavailable"
    case "approval":
      return "needs_approval"
    default:
      return "forbidden"
  }
}

/** Why a call is refused. */
export interface CodedReason {
  readonly code: string
  readonly text: string
}

/** Returns what a model is told of a refusal. By the code, it knows that another way to make the call does not help. */
export const refusalText = ({ code, text }: CodedReason): string =>
  code === "needs_approval" ? `${code}: ${text}` : text

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
