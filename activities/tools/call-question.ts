import { createHash } from "node:crypto"
import { ApplicationFailure } from "@temporalio/activity"
import { z } from "zod"
import type { ToolCall } from "../../contracts/message.ts"
import { canonicalJson } from "../../domain/text/json/canonical-json.ts"
import type { Store } from "../../store/store.ts"
import type { ClaimRow } from "../../store/tables/claims.ts"
import type { ToolContext, ToolQuestion } from "../../tools/tool.ts"
import type { RunToolInput } from "../contract/agent-activities.ts"

const questionSchema = z.object({ message: z.string(), state: z.string() })

/** Questions of one call are counted from 1; round 0 is the call before any. */
export const roundOf = (input: Pick<RunToolInput, "answer">): number => input.answer?.round ?? 0

/** Questions are stored as inbox rows, so that the server's state enters no history. */
const rowId = (input: RunToolInput, round: number): string => `question_${input.runId}_${input.resultSeq}_${round}`

/** Returns the claim of a call's round. Each round has its own, since an answered call runs again, also at most once. */
export const claimSeqOf = (input: Pick<RunToolInput, "answer" | "resultSeq">): number => {
  const round = roundOf(input)
  return round === 0 ? input.resultSeq : -(input.resultSeq * 1_000 + round)
}

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

export const storeQuestion = (
  store: Pick<Store, "inbox">,
  input: RunToolInput,
  question: ToolQuestion,
): Promise<void> =>
  store.inbox.put({
    id: rowId(input, roundOf(input) + 1),
    sessionId: input.sessionId,
    source: "notice",
    text: JSON.stringify(question),
  })

/** Returns the question that this round of the call ended with; undefined where it ended otherwise. */
export const loadQuestion = async (
  store: Pick<Store, "inbox">,
  input: RunToolInput,
  round = roundOf(input) + 1,
): Promise<ToolQuestion | undefined> => {
  const row = await store.inbox.get(input.sessionId, rowId(input, round))
  return row === undefined ? undefined : questionSchema.parse(JSON.parse(row.text))
}

/** Returns the state that an earlier round stored, with the person's answer; undefined where nobody was asked. */
export const loadAnsweredQuestion = async (
  store: Pick<Store, "inbox">,
  input: RunToolInput,
): Promise<ToolContext["answered"]> => {
  const { answer } = input
  if (answer === undefined) return undefined
  const question = await loadQuestion(store, input, answer.round)
  const text = answer.text ?? (await store.inbox.get(input.sessionId, answer.inboxId))?.text
  if (question === undefined || text === undefined)
    throw ApplicationFailure.nonRetryable("the question that was answered is not in the store", "storage_failed")
  return { state: question.state, text }
}
