import type { CallDecision } from "../../contracts/approval/decision.ts"
import { toolListCovers } from "../tools/tool-names.ts"
import { type CallRule, ruleText } from "./approval-rule.ts"
import type { People } from "./person.ts"

/** A call that is decided. */
export interface DecidedCall {
  readonly id: string
  readonly name: string
  /** The profile whose session makes the call. */
  readonly profile: string
  /** Absent: no rule covers it. */
  readonly rule?: CallRule | undefined
}

/** What is known of the approvals of a call, by the audit of this very pause. */
export interface ApprovalsOfCall {
  /** The people who have approved it. */
  readonly approvedBy: readonly string[]
  /** The people who gave its run, or a run above it, work. */
  readonly startedBy: readonly string[]
}

export const noApprovals: ApprovalsOfCall = { approvedBy: [], startedBy: [] }

/** Returns whether `may` of a person names the calls of a tool, or of a pattern of tools. */
export const mayDecide = (
  people: People,
  person: string,
  { name, profile }: Pick<DecidedCall, "name" | "profile">,
): boolean => {
  const may = Object.hasOwn(people, person) ? people[person]?.may : undefined
  return may === undefined || (toolListCovers(may.approve, name) && toolListCovers(may.profiles, profile))
}

/** Returns the people whose approval of a call counts for its rule. */
const counting = (people: People, call: Omit<DecidedCall, "id">, { approvedBy, startedBy }: ApprovalsOfCall) => {
  const { rule } = call
  if (rule === undefined) return []
  const approvers = rule.approvers.filter((name) => Object.hasOwn(people, name) && mayDecide(people, name, call))
  return approvers.filter((name) => approvedBy.includes(name) && !(rule.notOwn && startedBy.includes(name)))
}

/** Returns what is missing until a call's rule is met; undefined: nothing. */
export const missingApproval = (
  people: People,
  call: Omit<DecidedCall, "id">,
  approvals: ApprovalsOfCall,
): string | undefined => {
  const { rule } = call
  if (rule === undefined) return undefined
  const counted = counting(people, call, approvals)
  if (counted.length >= rule.require) return undefined
  const so = counted.length === 0 ? "" : `; approved so far by ${counted.join(", ")}`
  return `${call.name} needs ${ruleText(rule)} (approvals in the configuration)${so}`
}

/**
 * `none`: the decision is refused, and why. `counts`: it is an approval that counts, and others are missing. `decides`: it takes effect.
 */
export type RightToDecide =
  | { readonly right: "none"; readonly why: string }
  | { readonly right: "counts"; readonly missing: string }
  | { readonly right: "decides" }

const refused = (why: string): RightToDecide => ({ right: "none", why })

interface Decider {
  /** The person whom the way of the decision proves; absent: nobody in `people`. */
  readonly person: string | undefined
  readonly kind: "person" | "program" | "model"
}

/**
 * Returns whether a sender may decide about a call, and whether their approval completes the rule that covers it. Nothing else decides that: the sessions
 * ask before they send a decision, and the gate asks again, by the same approvals, before the call runs.
 */
export const rightToDecide = (
  people: People,
  { person, kind }: Decider,
  decision: {
    readonly call: DecidedCall
    readonly action: CallDecision["action"]
    readonly approvals: ApprovalsOfCall
  },
): RightToDecide => {
  const { call, action, approvals } = decision
  const { id, name, profile, rule } = call
  if (person !== undefined && !mayDecide(people, person, call))
    return refused(
      `${person} may not decide about call ${id} (${name} of ${profile}): people.${person}.may does not name it`,
    )
  if (rule === undefined) return { right: "decides" }
  const only = `call ${id} (${name}) needs ${ruleText(rule)}`
  if (person === undefined || kind === "model")
    return refused(`${only}: use a token, an account or a link of one of these people`)
  if (!rule.approvers.includes(person)) return refused(`${only}: ${person} is not one of them`)
  // A rejection, or a result that a person gives in place of the call, makes nothing run.
  if (action === "reject" || action === "custom_result") return { right: "decides" }
  if (rule.notOwn && approvals.startedBy.includes(person))
    return refused(`${only}: ${person} gave this run its work, and cannot approve its calls`)
  // With other arguments it is another call, which each of the people has to see.
  const approvedBy = action === "edit" ? [person] : [...approvals.approvedBy, person]
  const missing = missingApproval(people, call, { ...approvals, approvedBy })
  if (missing === undefined || action === "edit") return { right: "decides" }
  return { right: "counts", missing }
}
