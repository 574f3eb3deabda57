import { inputResponse } from "@modelcontextprotocol/server"
import { z } from "zod"
import type { RemoteActor } from "../../sessions/authority/actor.ts"
import { isAdjutantError } from "../../contracts/adjutant-error.ts"
import type { CallDecision } from "../../contracts/approval/decision.ts"
import type { McpContext } from "../mcp-context.ts"
import { parseRequestKey } from "./pause-requests.ts"

const decisionSchema = z.object({ decision: z.enum(["approve", "reject"]), reason: z.string().max(2_000).optional() })
const answerSchema = z.object({ answer: z.string().min(1).max(65_536) })

type Response = ReturnType<typeof inputResponse>

/** Returns the decision that a form contains. A dismissed form decides nothing; a declined one rejects the call. */
const decisionOf = (response: Response): CallDecision | undefined => {
  if (response.kind !== "elicit" || response.action === "cancel") return undefined
  if (response.action === "decline") return { action: "reject", content: "declined by the person" }
  const parsed = decisionSchema.safeParse(response.content)
  if (!parsed.success) return undefined
  const { decision, reason } = parsed.data
  if (decision === "approve") return { action: "accept" }
  return { action: "reject", ...(reason === undefined || reason === "" ? {} : { content: reason }) }
}

const answerOf = (response: Response): string | undefined => {
  if (response.kind !== "elicit" || response.action !== "accept") return undefined
  const parsed = answerSchema.safeParse(response.content)
  return parsed.success ? parsed.data.answer : undefined
}

/** Whether an answer came too late: the call has been decided by someone else, or its pause has ended. */
const isTooLate = (error: unknown): boolean =>
  isAdjutantError(error) &&
  [
    "checkpoint_stale",
    "call_not_found",
    "already_decided",
    "session_not_paused",
    "session_not_running",
    "session_already_running",
  ].includes(error.code)

interface Applied {
  /** Keys of the questions that the person left open. */
  readonly dismissed: readonly string[]
  /** Keys whose approval was refused, because this server does not accept approvals. */
  readonly refused: readonly string[]
}

/** Applies a person's answers to the pauses of these trees. Keys of other trees and of ended pauses are ignored. */
export const applyResponses = async (
  context: McpContext,
  responses: Readonly<Record<string, unknown>>,
  { rootIds, actor }: { readonly rootIds: ReadonlySet<string>; readonly actor: RemoteActor },
): Promise<Applied> => {
  const { client } = context
  const dismissed: string[] = []
  const refused: string[] = []
  const decisions = new Map<string, { sessionId: string; calls: Record<string, CallDecision> }>()
  for (const key of Object.keys(responses)) {
    const { checkpointId, callId } = parseRequestKey(key)
    const pause = await context.store.pauses.byCheckpoint(checkpointId)
    const owner = pause === undefined ? undefined : await context.store.sessions.get(pause.sessionId)
    if (pause === undefined || owner === undefined || !rootIds.has(owner.rootId)) continue
    const response = inputResponse(responses, key)
    if (callId === undefined) {
      const text = answerOf(response)
      if (text === undefined) dismissed.push(key)
      else {
        const { sessionId } = pause
        await unlessTooLate(client.send({ sessionId, checkpointId, text, type: "message", actor }))
      }
      continue
    }
    const decision = decisionOf(response)
    if (decision === undefined) dismissed.push(key)
    else if (decision.action === "accept" && context.noApprove) refused.push(key)
    else {
      const entry = decisions.get(checkpointId) ?? { sessionId: pause.sessionId, calls: {} }
      entry.calls[callId] = decision
      decisions.set(checkpointId, entry)
    }
  }
  for (const [checkpointId, { sessionId, calls }] of decisions)
    await unlessTooLate(client.decide({ sessionId, checkpointId, decisions: calls, unlisted: "pending", actor }))
  return { dismissed, refused }
}

const unlessTooLate = async (sending: Promise<unknown>): Promise<void> => {
  try {
    await sending
  } catch (error) {
    if (!isTooLate(error)) throw error
  }
}
