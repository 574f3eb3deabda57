import { createHash } from "node:crypto"
import type { ToolCall } from "../../contracts/message.ts"
import { canonicalJson } from "../../domain/text/json/canonical-json.ts"
import type { Store } from "../../store/store.ts"
import type { ClaimRow } from "../../store/tables/claims.ts"
import type { RunToolInput } from "../contract/agent-activities.ts"

/** Questions of one call are counted from 1; round 0 is the call before any. */
export const roundOf = (input: Pick<RunToolInput, "answer">): number => input.answer?.round ?? 0

/** Returns the claim of a call's round. Each round has its own, since an answered call runs again, also at most once. */
export const claimSeqOf = (input: Pick<RunToolInput, "answer" | "resultSeq">, round: number = roundOf(input)): number =>
  round === 0 ? input.resultSeq : -(input.resultSeq * 1_000 + round)

/** Returns what a claim is for. A workflow that was reset can have another call with the same id at the same place. */
export const callHash = ({ name, arguments: given }: Pick<ToolCall, "name" | "arguments">): string =>
  createHash("sha256")
    .update(canonicalJson([name, given]))
    .digest("hex")

/** Returns whether a claim is for the call. */
export const isClaimOf = (
  claim: Pick<ClaimRow, "callId" | "callHash">,
  call: { readonly callId: string; readonly hash: string | undefined },
): boolean =>
  claim.callId === call.callId && (claim.callHash === null || call.hash === undefined || claim.callHash === call.hash)

/** Returns whether an earlier attempt has started this round of the call. `call`: as it would run; undefined if it cannot be read. */
export const hasStarted = async (
  store: Pick<Store, "claims">,
  input: Pick<RunToolInput, "sessionId" | "callId" | "answer" | "resultSeq">,
  call: Pick<ToolCall, "name" | "arguments"> | undefined,
): Promise<boolean> => {
  const claim = await store.claims.get(input.sessionId, claimSeqOf(input))
  const hash = call === undefined ? undefined : callHash(call)
  return claim !== undefined && isClaimOf(claim, { callId: input.callId, hash })
}
