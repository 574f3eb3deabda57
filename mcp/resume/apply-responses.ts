import { inputResponse } from "@modelcontextprotocol/server"
import { z } from "zod"
import type { RemoteActor } from "../../sessions/actor.ts"
import { type AdjutantError, isAdjutantError } from "../../contracts/adjutant-error.ts"
import { saidSchema } from "../../contracts/text-schemas.ts"
import type { CallDecision } from "../../contracts/approval/decision.ts"
import type { McpContext } from "../mcp-context.ts"
import { parseRequestKey } from "./pause-requests.ts"

const decisionSchema = z.object({ decision: z.enum(["approve", "reject"]), reason: z.string().max(2_000).optional() })
const answerSchema = z.object({ answer: saidSchema.max(65_536) })

type Response = ReturnType<typeof inputResponse>

/** Returns the decision that a form's own field contains. A form that was declined, dismissed or not filled in decides nothing. */
const decisionOf = (response: Response): CallDecision | undefined => {
  if (response.kind !== "elicit" || response.action !== "accept") return undefined
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
const isTooLate = (error: unknown): error is AdjutantError =>
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
  /** What to say about answers that came too late. */
  readonly late: readonly string[]
}

type Sending = { readonly sessionId: string; readonly checkpointId: string; readonly actor: RemoteActor }

/** What became of one answer. `refused`: this server does not accept approvals. */
type Outcome =
  | { readonly kind: "applied" }
  | { readonly kind: "refused" }
  | { readonly kind: "late"; readonly note: string }

/** Applies one answer. The audit log has those that came too late, or were refused, too. */
const applyOne = async (
  { client, noApprove }: McpContext,
  { callId, answer }: { readonly callId: string | undefined; readonly answer: CallDecision | string },
  to: Sending,
): Promise<Outcome> => {
  try {
    if (typeof answer === "string") await client.send({ ...to, text: answer, type: "message" })
    else await client.decide({ ...to, decisions: { [callId ?? ""]: answer }, unlisted: "pending" })
    return { kind: "applied" }
  } catch (error) {
    if (noApprove && isAdjutantError(error) && error.code === "forbidden") return { kind: "refused" }
    if (!isTooLate(error)) throw error
    const what = callId === undefined ? `answer to checkpoint ${to.checkpointId}` : `decision on ${callId}`
    return { kind: "late", note: `The ${what} came too late: ${error.message}` }
  }
}

/** Applies a person's answers to the pauses of these trees. Keys of other trees and of ended pauses are ignored. */
export const applyResponses = async (
  context: McpContext,
  responses: Readonly<Record<string, unknown>>,
  { rootIds, actor }: { readonly rootIds: ReadonlySet<string>; readonly actor: RemoteActor },
): Promise<Applied> => {
  const dismissed: string[] = []
  const refused: string[] = []
  const late: string[] = []
  // The client says that a person filled in its form; a call of a tool is its model's.
  const person: RemoteActor = { ...actor, kind: "person" }
  for (const key of Object.keys(responses)) {
    const { checkpointId, callId } = parseRequestKey(key)
    const pause = await context.store.pauses.byCheckpoint(checkpointId)
    const owner = pause === undefined ? undefined : await context.store.sessions.get(pause.sessionId)
    if (pause === undefined || owner === undefined || !rootIds.has(owner.rootId)) continue
    const response = inputResponse(responses, key)
    const answer = callId === undefined ? answerOf(response) : decisionOf(response)
    if (answer === undefined) dismissed.push(key)
    else {
      const to = { sessionId: pause.sessionId, checkpointId, actor: person }
      const outcome = await applyOne(context, { callId, answer }, to)
      if (outcome.kind === "refused") refused.push(key)
      else if (outcome.kind === "late") late.push(outcome.note)
    }
  }
  return { dismissed, refused, late }
}
