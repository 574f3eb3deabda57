import { createHash } from "node:crypto"
import type { CallDecision } from "../../contracts/approval/decision.ts"
import { argumentsIdOf } from "./edited-arguments.ts"
import type { DecideRequest } from "../decide-request.ts"

const plain = (decision: CallDecision | undefined): readonly string[] | null => {
  if (decision === undefined) return null
  if (decision.action === "edit") return [decision.action, argumentsIdOf(decision.arguments)]
  return decision.action === "accept" || decision.content === undefined
    ? [decision.action]
    : [decision.action, decision.content]
}

/**
 * Returns the id of a decision. The same decision on the same pause always has the same id, regardless of the sender: the workflow and Temporal apply it once and
 * give every sender the same answer.
 */
export const decisionIdOf = (
  checkpointId: string,
  request: Pick<DecideRequest, "sessionId" | "decisions" | "all" | "unlisted">,
): string => {
  const decisions = Object.entries(request.decisions ?? {})
    .map(([id, decision]) => [id, plain(decision)] as const)
    .toSorted(([left], [right]) => (left < right ? -1 : 1))
  const content = JSON.stringify([request.sessionId, checkpointId, decisions, plain(request.all), request.unlisted])
  return `dec_${createHash("sha256").update(content).digest("hex").slice(0, 40)}`
}
