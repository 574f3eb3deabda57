import { createHash } from "node:crypto"
import type { CallDecision } from "../../contracts/approval/decision.ts"
import type { DecideRequest } from "./decide-request.ts"

const plain = (decision: CallDecision | undefined): readonly string[] | null => {
  if (decision === undefined) return null
  return decision.action === "accept" || decision.content === undefined
    ? [decision.action]
    : [decision.action, decision.content]
}

/**
 * The same decision on the same pause has the same id, whoever sends it and however often: the workflow and Temporal apply it once and answer every
 * sender alike.
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
