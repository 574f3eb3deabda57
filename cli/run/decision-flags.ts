import { wrongUsage } from "../wrong-usage.ts"
import type { CallDecision } from "../../contracts/approval/decision.ts"

export interface DecisionFlags {
  readonly approve?: readonly string[]
  readonly reject?: readonly string[]
  readonly approveAll?: boolean
  readonly rejectAll?: boolean
  readonly reason?: string
}

export interface Decisions {
  readonly all?: CallDecision
  readonly decisions: Readonly<Record<string, CallDecision>>
}

const contradictionIn = (flags: DecisionFlags, rejectsAny: boolean): string | undefined => {
  const both = flags.approve?.find((id) => flags.reject?.includes(id) === true)
  if (both !== undefined) return `--approve and --reject both name "${both}": name it once`
  if (flags.approveAll === true && flags.rejectAll === true)
    return "--approve-all and --reject-all exclude each other: use one of them"
  return flags.reason !== undefined && !rejectsAny
    ? "--reason is for rejected calls: add --reject or --reject-all"
    : undefined
}

/**
 * Returns the decisions that the flags express; undefined if there is none. The order is that of every channel: `--approve-all` without the rejected
 * ids, then `--reject-all` whatever else is named, then the named ids; calls that are not named are rejected. Throws `invalid_argument` if flags contradict each other.
 */
export const decisionsOf = (flags: DecisionFlags): Decisions | undefined => {
  const approve = flags.approve ?? []
  const reject = flags.reject ?? []
  const rejectsAll = flags.rejectAll === true
  const rejectsAny = reject.length > 0 || rejectsAll || (approve.length > 0 && flags.approveAll !== true)
  const contradiction = contradictionIn(flags, rejectsAny)
  if (contradiction !== undefined) throw wrongUsage(contradiction)
  if (!rejectsAny && flags.approveAll !== true) return undefined
  const rejection: CallDecision = { action: "reject", ...(flags.reason === undefined ? {} : { content: flags.reason }) }
  const approval: CallDecision = { action: "accept" }
  const named = Object.fromEntries([
    ...approve.map((id) => [id, rejectsAll ? rejection : approval] as const),
    ...reject.map((id) => [id, rejection] as const),
  ])
  if (flags.approveAll === true) return { all: approval, decisions: named }
  // With a reason, calls that are not named are rejected with it as well.
  return rejectsAll || flags.reason !== undefined ? { all: rejection, decisions: named } : { decisions: named }
}
