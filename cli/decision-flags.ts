import { AdjutantError } from "../contracts/adjutant-error.ts"
import type { CallDecision } from "../contracts/decision.ts"

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

/**
 * The decisions that the flags express; undefined where there is none. Order: `--approve-all` less the rejected ids, `--reject-all` less
 * the approved ones. Throws `invalid_argument` where flags contradict each other.
 */
export const decisionsOf = (flags: DecisionFlags): Decisions | undefined => {
  const approve = flags.approve ?? []
  const reject = flags.reject ?? []
  const both = approve.find((id) => reject.includes(id))
  if (both !== undefined) refuse(`--approve and --reject both name "${both}"; name it once.`)
  if (flags.approveAll === true && flags.rejectAll === true)
    refuse("--approve-all and --reject-all exclude each other.")
  const rejection: CallDecision = { action: "reject", ...(flags.reason === undefined ? {} : { content: flags.reason }) }
  const approval: CallDecision = { action: "accept" }
  const rejects = reject.length > 0 || flags.rejectAll === true
  if (flags.reason !== undefined && !rejects) refuse("--reason needs --reject or --reject-all.")
  if (approve.length === 0 && !rejects && flags.approveAll !== true) return undefined
  const all = flags.approveAll === true ? approval : flags.rejectAll === true ? rejection : undefined
  const named = [...approve.map((id) => [id, approval] as const), ...reject.map((id) => [id, rejection] as const)]
  return { ...(all === undefined ? {} : { all }), decisions: Object.fromEntries(named) }
}

const refuse = (message: string): never => {
  throw new AdjutantError("invalid_argument", message)
}
