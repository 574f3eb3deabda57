import type { RunSnapshot } from "../../contracts/run-snapshot.ts"
import type { PolicyMode } from "../../contracts/approval/run-policy.ts"
import { assertNever } from "../assert-never.ts"
import { startOf } from "../text/foreign/well-formed.ts"
import type { ProcessFacts } from "./process-sandbox.ts"
import { strictest } from "./tool-policy.ts"

/** Whether a call changes protected paths (domain/workspace/protected-paths.ts). `unchecked`: that could not be found out. */
export type ChangeFacts =
  | { readonly kind: "free" }
  | { readonly kind: "protected"; readonly path: string }
  | { readonly kind: "unchecked"; readonly why: string }

/** Who has decided on a call so far. */
export type Decided =
  /** Only policy, the run's approval or a grant can let it run. */
  | { readonly by: "nobody" }
  /** An approver accepted this very call, or gave it new arguments. */
  | {
      readonly by: "person"
      /** The call was decided on as one that changes a protected path. */
      readonly knowsProtected: boolean
      /** How it differs now from what was decided on. */
      readonly changes: readonly string[]
    }
  /** An earlier attempt has started it: it may have taken effect, so asking about it would come too late. */
  | { readonly by: "attempt" }

/** Everything on which it depends whether a call may run. `activities/approval/call-facts.ts` collects it. */
export interface CallFacts {
  readonly name: string
  /** Why no call runs of the answer that proposed it; absent if the answer ended normally (domain/run/answer-end.ts). */
  readonly endProblem?: string | undefined
  /** Why this worker makes no such call, even if a person approves it: the tool is not there, or its configuration switches it off. */
  readonly unavailable?: string | undefined
  /** The strictest mode of the run's own policy and of those that it inherited. */
  readonly policy: PolicyMode
  /** The mode that the configuration of the worker demands. */
  readonly workerPolicy: PolicyMode
  /**
   * What the run's caller approved beforehand.
   * `all`: every call. Nobody is asked; one that would leave the sandbox is refused, unless the run is unconfined.
   * `named`: this tool by its name. Its calls are refused where they would leave the sandbox, as with `all`.
   * `covered`: this tool by a pattern. A person is asked about its calls where they would leave the sandbox.
   * `policy`: nothing. Policy alone says which calls run unasked.
   */
  readonly approval: "all" | "named" | "covered" | "policy"
  /** What becomes of a call that policy never allows: people are asked, or nobody is. */
  readonly never: RunSnapshot["never"]
  /** Absent if the call starts no process. */
  readonly process?: ProcessFacts | undefined
  /** Absent if the call reads no page of the web. `isKnown`: the configuration names its host as one that commands reach. */
  readonly web?: { readonly host: string; readonly isKnown: boolean } | undefined
  readonly change: ChangeFacts
  /**
   * A standing decision of a person. `covers`: it is active, and covers the call as it is now, with what the call asks for beyond the sandbox. Absent:
   * there is none.
   */
  readonly grant?: { readonly id: string; readonly covers: boolean } | undefined
  readonly decided: Decided
  /** A rule says who approves such calls. `missing`: what their approvals lack; absent: nothing. Absent: no rule covers the call. */
  readonly rule?: { readonly missing?: string | undefined } | undefined
  /** Whether a person can be asked now. Where nobody can, a call is refused that would have to be asked about. */
  readonly canAsk: boolean
}

export interface GateReason {
  /**
   * `worker`: this worker never makes the call. `policy`: what the run or the worker asks about, or the run never allows. `approval`: only a person can
   * approve it, and the run asks nobody. `people`: the people whose approval it needs have not all approved it.
   */
  readonly about: "answer" | "worker" | "policy" | "protected" | "sandbox" | "approval" | "grant" | "changed" | "people"
  readonly text: string
}

export type Verdict =
  | { readonly verdict: "run" }
  | { readonly verdict: "ask"; readonly why: readonly GateReason[] }
  | { readonly verdict: "refuse"; readonly why: GateReason }

/**
 * Decides whether a call may run. Nothing else decides that. The gate is asked when the call is proposed, when an approver or a hook gives it new
 * arguments, when an agent decides for its child, and right before the call runs, because the facts can change in between. Before any call, it says which
 * tools a run is offered (tool-verdicts.ts).
 *
 * 1. `refusalReason`: what the run demands and what the worker never allows. It precedes every approval, and nobody is asked about it.
 * 2. `whyAsk`: what is still missing. A person's decision counts as long as the call is the one that was decided on. Without a decision, policy, the
 *    approval of the run's caller and grants count.
 * 3. Where something is missing and nobody can be asked, the call is refused.
 */
export const gate = (facts: CallFacts): Verdict => {
  const refusal = refusalReason(facts)
  if (refusal !== undefined)
    return {
      verdict: "refuse",
      why:
        facts.decided.by === "attempt"
          ? { ...refusal, text: `${refusal.text}; another worker had started it, so it may have taken effect` }
          : refusal,
    }
  const why = whyAsk(facts)
  const [first] = why
  if (first === undefined) return { verdict: "run" }
  return facts.canAsk
    ? { verdict: "ask", why }
    : { verdict: "refuse", why: { ...first, text: `${facts.name} was not started: ${first.text}` } }
}

/**
 * Returns why the call is refused without a question: the run or the worker never makes it, or it would need a person's decision in a run that asks nobody.
 * Undefined if it may run, or may be asked about.
 */
const refusalReason = (facts: CallFacts): GateReason | undefined => {
  const { name, endProblem, unavailable, policy, workerPolicy, approval, never, process, change, decided } = facts
  if (endProblem !== undefined) return { about: "answer", text: endProblem }
  if (unavailable !== undefined) return { about: "worker", text: unavailable }
  // If the run's own policy says `never` too, that policy decides below whether people are asked.
  if (workerPolicy === "never" && policy !== "never")
    return {
      about: "worker",
      text: `${name} is refused: the configuration of the worker that executes this run never allows it (tools.policy)`,
    }
  if (process?.mustBeConfined === true && !process.confined) return noSandbox(facts)
  // The calls of such a task run unasked only because its sandbox confines them, so nobody may open it.
  if (process?.isTask === true && process.opens !== undefined) return noSandbox(facts)
  if (modeOf(facts) === "never" || change.kind !== "free")
    return never === "reject" || (approval === "all" && decided.by === "nobody") ? neverAllowed(facts) : undefined
  const reads = whyMayNotReadUnasked(facts)
  if (reads !== undefined) return reads
  const isUnasked = asksNobody(facts) && decided.by === "nobody" && !mayLeaveByGrant(facts)
  return leavesSandbox(facts) && isUnasked && process?.mayBeUnconfined !== true
    ? whyMayNotLeaveUnasked(facts)
    : undefined
}

/** Returns why a run that asks nobody does not make a call that policy never allows, or that changes a protected path. */
const neverAllowed = ({ name, change }: CallFacts): GateReason => {
  if (change.kind === "protected")
    return {
      about: "protected",
      text: `${startOf(change.path, maxShownPath)} is protected: only a person can approve a call that changes it, and this run asks nobody`,
    }
  return {
    about: change.kind === "unchecked" ? "protected" : "policy",
    text:
      change.kind === "unchecked"
        ? `whether ${name} changes a protected path could not be checked (${change.why}), and this run asks nobody`
        : `policy never allows ${name}`,
  }
}

/** Returns why a call that was approved beforehand may not read a page of an unknown host; undefined if it may, or if people are asked. */
const whyMayNotReadUnasked = ({ web, approval, decided, grant }: CallFacts): GateReason | undefined => {
  if (web === undefined || web.isKnown || approval === "policy") return undefined
  if (decided.by !== "nobody" || grant?.covers === true) return undefined
  return {
    about: "approval",
    text: `security.sandbox.network does not name ${web.host}: only a person can approve that it is read, and this run asks nobody`,
  }
}

/** Returns why a command that was approved beforehand may not leave the sandbox: only an approval of this very command lets it. */
const whyMayNotLeaveUnasked = (facts: CallFacts): GateReason => {
  const opens = facts.process?.opens
  if (opens === undefined) return noSandbox(facts)
  return {
    about: "approval",
    text: `the call asks ${wishes[opens]}: only a person can approve that, and this run asks nobody (one that is started as unconfined may make it)`,
  }
}

const noSandbox = ({ name, process }: CallFacts): GateReason => ({
  about: "sandbox",
  text:
    process?.opens === undefined
      ? `${name} may only run in a sandbox here, and there is none: ${process?.reason ?? "unknown reason"}`
      : `${name} may only run in a sandbox here, and the call asks ${wishes[process.opens]}`,
})

/** Returns everything that is missing until the call may run; empty if nothing is. */
const whyAsk = (facts: CallFacts): readonly GateReason[] => {
  const { decided, change, rule } = facts
  // An earlier attempt has started the call. It may have taken effect, so a question would come too late.
  if (decided.by === "attempt") return []
  // A rule names the people who approve such calls. Neither policy nor a grant replaces them.
  const missing = rule?.missing === undefined ? [] : [{ about: "people", text: rule.missing } as const]
  switch (decided.by) {
    case "person": {
      const unknown = decided.knowsProtected ? undefined : changeReason(change)
      const changed = decided.changes.map((text) => ({ about: "changed", text }) as const)
      return [...changed, ...(unknown === undefined ? [] : [unknown]), ...missing]
    }
    case "nobody": {
      const why = whyUndecided(facts)
      return why === undefined ? missing : [why, ...missing]
    }
    default:
      return assertNever(decided)
  }
}

/** Returns why a person has to decide about a call on which nobody has decided yet; undefined if it may run without one. */
const whyUndecided = (facts: CallFacts): GateReason | undefined => {
  const { name, approval, process, change } = facts
  const mode = modeOf(facts)
  if (change.kind !== "free") return changeReason(change)
  if (mode === "never") return { about: "policy", text: `policy never allows ${name} without a person's decision` }
  // Nothing that such a task does leaves its sandbox.
  if (process?.isTask === true && process.confined) return undefined
  if (mode === "prompt" && approval === "policy") return askedByPolicy(facts)
  if (!leavesSandbox(facts) || asksNobody(facts)) return undefined
  const opens = process?.opens
  if (opens === undefined)
    return { about: "sandbox", text: `${name} would have run in a sandbox without a question, and there is none now` }
  return mayLeaveByGrant(facts) ? undefined : { about: "sandbox", text: `the call asks ${wishes[opens]}` }
}

/** Returns why a call that policy asks about waits for a decision; undefined if a grant covers it. */
const askedByPolicy = (facts: CallFacts): GateReason | undefined => {
  const { name, workerPolicy, grant } = facts
  if (grant !== undefined && losesSandbox(facts))
    return {
      about: "sandbox",
      text: "a grant does not cover commands outside a sandbox, and no sandbox works now",
    }
  if (grant !== undefined)
    return grant.covers
      ? undefined
      : {
          about: "grant",
          text: `${grant.id} no longer covers this call: it was revoked or has expired, its token has lost the right to give it, or the path or the tool is another now`,
        }
  return workerPolicy === "prompt"
    ? {
        about: "policy",
        text: `the configuration of the worker that runs it asks about ${name} (tools.policy), and nobody was asked`,
      }
    : { about: "policy", text: `policy asks about ${name}, and nobody was asked` }
}

const changeReason = (change: ChangeFacts): GateReason | undefined => {
  switch (change.kind) {
    case "free":
      return undefined
    case "protected":
      return {
        about: "protected",
        text: `the call changes the protected path ${startOf(change.path, maxShownPath)}, and nobody has approved that`,
      }
    case "unchecked":
      return {
        about: "protected",
        text: `whether the call changes a protected path could not be checked: ${change.why}`,
      }
    default:
      return assertNever(change)
  }
}

const maxShownPath = 300

const modeOf = ({ policy, workerPolicy }: CallFacts): PolicyMode => strictest([policy, workerPolicy])

/** Returns whether the run's caller approved the call so that nobody is asked whether it leaves its sandbox. */
const asksNobody = ({ approval }: CallFacts): boolean => approval === "all" || approval === "named"

/** Returns whether a command would run outside of any sandbox, or reach more than its sandbox lets it. */
const leavesSandbox = ({ process }: CallFacts): boolean =>
  process?.kind === "command" && (!process.confined || process.opens !== undefined)

/** Returns whether processes would run outside of any sandbox although the call did not ask for that. */
const losesSandbox = ({ process }: CallFacts): boolean =>
  process !== undefined && !process.confined && process.opens !== "sandbox"

/** Returns whether no approval of all calls includes this one: it changes a protected path, or asks to leave its sandbox. */
export const isByIdOnly = ({ change, process }: Pick<CallFacts, "change" | "process">): boolean =>
  change.kind !== "free" || process?.opens !== undefined

/** Returns whether a grant covers that this command leaves its sandbox. A grant never covers a sandbox that is not there. */
const mayLeaveByGrant = (facts: CallFacts): boolean =>
  facts.process?.opens !== undefined && facts.grant?.covers === true && !losesSandbox(facts)

const wishes = {
  sandbox: "to run outside the sandbox",
  hosts: "for hosts that the sandbox does not let it reach",
  network: "for network, and the sandbox here can only open all of it",
} as const
