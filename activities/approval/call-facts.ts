import type { ToolCall } from "../../contracts/message.ts"
import type { RunSnapshot } from "../../contracts/run-snapshot.ts"
import {
  type CallFacts,
  type ChangeFacts,
  type Decided,
  gate,
  isByIdOnly,
  type Verdict,
} from "../../domain/approval/gate.ts"
import { settingsFacts } from "../../domain/approval/settings-facts.ts"
import {
  type Confinement,
  processFacts,
  sandboxModeOf,
  type SandboxWish,
  sandboxWishOf,
  startsProcesses,
  unconfinedByRule,
} from "../../domain/approval/process-sandbox.ts"
import type { PolicyTool } from "../../domain/approval/tool-policy.ts"
import { webFetchName } from "../../domain/tools/tool-names.ts"
import { coversAddress, webHostOf } from "../../domain/web/web-hosts.ts"
import { errorMessage } from "../../domain/text/error-message.ts"
import type { Sandbox } from "../../tools/sandbox/sandbox.ts"
import type { Tool } from "../../tools/tool.ts"
import type { AgentDependencies } from "../agent-dependencies.ts"
import { type ApprovalsOfCall, missingApproval, noApprovals } from "../../domain/people/right-to-decide.ts"
import { ruleFor } from "../../domain/people/approval-rule.ts"
import { approvalsOfCall } from "../../sessions/decide/people/approvals-of-call.ts"
import type { RunToolInput } from "../contract/agent-activities.ts"
import type { PrepareDelegationInput } from "../contract/delegation-activities.ts"
import { hasStarted } from "./call-claim.ts"
import { grantNow } from "./granted-calls.ts"
import { changesSinceShown } from "./changes-since-shown.ts"

type FactDependencies = Pick<AgentDependencies, "sandboxFor" | "workerPolicy" | "protectedChange" | "webHosts">

/** What the caller knows about a call. The settings of its run and the policy of its worker come in addition. */
export interface Judged {
  readonly tool: PolicyTool
  /** They can ask for more than the sandbox gives, and say which page is read. */
  readonly arguments?: ToolCall["arguments"] | undefined
  /** The paths of the files that it writes. */
  readonly writes?: readonly string[]
  /** What it changes, if that does not follow from `writes`. */
  readonly change?: ChangeFacts
  /** Whether its processes are confined, if the caller knows better than this worker. */
  readonly confinement?: Confinement | undefined
  readonly endProblem?: string | undefined
  readonly unavailable?: string | undefined
  /** Default: nobody. */
  readonly decided?: Decided
  /** Which people have approved it. Default: nobody. */
  readonly approvals?: ApprovalsOfCall
  /**
   * Whether a person can be asked. Default: yes. At the start of a delegation call, `judgeStart` takes what the workflow says: one of an earlier version
   * cannot ask again.
   */
  readonly canAsk?: boolean
}

/** Returns what a call that asks for more than its sandbox allows would open; undefined if it asks for nothing that is closed. */
const openedBy = (
  wish: SandboxWish | undefined,
  { confined, network }: Sandbox,
  { sandbox: mode }: RunSnapshot,
): Confinement["opens"] => {
  if (wish === undefined || mode === "off") return undefined
  if (wish.kind === "unconfined") return "sandbox"
  const allowed = network?.hosts ?? []
  // Without a sandbox, the call reaches every host anyway.
  if (!confined || wish.hosts.every((host) => allowed.includes(host))) return undefined
  return network?.limitsHosts === true ? "hosts" : "network"
}

/** Returns whether the sandbox in which a call's processes would run confines them on this worker, and what it would open for this call. */
export const confinementOf = async (
  { sandboxFor }: Pick<AgentDependencies, "sandboxFor">,
  snapshot: RunSnapshot,
  { name, arguments: args }: Pick<ToolCall, "name"> & Partial<Pick<ToolCall, "arguments">>,
): Promise<Confinement> => {
  if (!startsProcesses(name)) return { confined: false }
  const wish = sandboxWishOf(name, args)
  try {
    const sandbox = await sandboxFor(sandboxModeOf(name, snapshot, wish), snapshot.timing.killGraceMs)
    const opens = openedBy(wish, sandbox, snapshot)
    const { confined } = sandbox
    const reason =
      opens === "sandbox" ? "the call asks to leave it" : (unconfinedByRule(name, snapshot) ?? sandbox.reason)
    return { confined, reason, ...(opens === undefined ? {} : { opens }) }
  } catch (error) {
    return { confined: false, reason: errorMessage(error) }
  }
}

/** Returns the paths of the files that a call writes. Arguments that do not fit write nothing. */
export const pathsWritten = (tool: Pick<Tool, "input" | "writes"> | undefined, args: unknown): readonly string[] => {
  if (tool?.writes === undefined) return []
  const parsed = tool.input.safeParse(args)
  return parsed.success ? tool.writes(parsed.data) : []
}

/** Returns whether a write to one of the files changes a protected path. */
export const protectionOf = async (
  { protectedChange }: Pick<AgentDependencies, "protectedChange">,
  snapshot: RunSnapshot,
  paths: readonly string[],
): Promise<ChangeFacts> => {
  try {
    const found = await Promise.all(paths.map((path) => protectedChange(snapshot, path)))
    const path = found.find((each) => each !== undefined)
    return path === undefined ? { kind: "free" } : { kind: "protected", path }
  } catch (error) {
    return { kind: "unchecked", why: errorMessage(error) }
  }
}

/** Returns what a rule of this worker's configuration says about a call. */
const ruleFacts = (
  { workerPolicy }: Pick<AgentDependencies, "workerPolicy">,
  { agent }: Pick<RunSnapshot, "agent">,
  { name, approvals = noApprovals }: { readonly name: string; readonly approvals?: ApprovalsOfCall | undefined },
): CallFacts["rule"] => {
  const rule = ruleFor(workerPolicy?.approvals ?? [], name)
  if (rule === undefined) return undefined
  return { missing: missingApproval(workerPolicy?.people ?? {}, { name, profile: agent, rule }, approvals) }
}

/** Returns which host a call reads; undefined if it reads none. */
const webFacts = (
  { webHosts }: Pick<AgentDependencies, "webHosts">,
  { name, arguments: args }: Pick<Judged, "arguments"> & Pick<ToolCall, "name">,
): CallFacts["web"] => {
  const url = args?.["url"]
  if (name !== webFetchName) return undefined
  const host = typeof url === "string" ? webHostOf(url) : undefined
  return { host: host ?? "the address", isKnown: typeof url === "string" && coversAddress(webHosts, url) }
}

/** Collects what the gate has to know about a call, as it would run on this worker. */
export const collectFacts = async (
  deps: FactDependencies,
  snapshot: RunSnapshot,
  { tool, writes = [], decided = { by: "nobody" }, canAsk = true, ...call }: Judged,
): Promise<CallFacts> => ({
  ...settingsFacts(tool, snapshot, deps.workerPolicy),
  endProblem: call.endProblem,
  unavailable: call.unavailable,
  process: processFacts(
    tool.name,
    snapshot,
    call.confinement ?? (await confinementOf(deps, snapshot, { name: tool.name, arguments: call.arguments })),
  ),
  web: webFacts(deps, { name: tool.name, arguments: call.arguments }),
  change: call.change ?? (await protectionOf(deps, snapshot, writes)),
  decided,
  rule: ruleFacts(deps, snapshot, { name: tool.name, approvals: call.approvals }),
  canAsk,
})

/** A call that is about to run on this worker. */
interface Starting extends Omit<Judged, "decided" | "arguments"> {
  readonly snapshot: RunSnapshot
  readonly tool: PolicyTool & Pick<Tool, "definition">
  /** Its arguments. Absent for a call that no grant covers. */
  readonly call?: ToolCall
  /** Whether an earlier attempt has started it, if that is known. */
  readonly hasBegun?: boolean
  /** How it differs from what a person decided on, besides what the preview of a file shows. */
  readonly changes?: readonly string[] | undefined
}

type StartInput = Pick<RunToolInput, "sessionId" | "resultSeq" | "callId" | "answer"> &
  Pick<RunToolInput, "isUnasked" | "grantId" | "mayChangeProtected" | "isPreviewed"> &
  Pick<PrepareDelegationInput, "canAskAgain">

type StartDependencies = FactDependencies & Pick<AgentDependencies, "store" | "pathInside" | "previews" | "mcp">

const decidedBefore = async (
  deps: StartDependencies,
  input: StartInput,
  { snapshot, tool, call, writes = [], changes = [] }: Starting,
): Promise<Decided> => {
  if (input.isUnasked === true) return { by: "nobody" }
  const confinement = () => confinementOf(deps, snapshot, { name: tool.name, arguments: call?.arguments })
  const since = await changesSinceShown(deps, input, { snapshot, tool, writes, confinement })
  return { by: "person", knowsProtected: input.mayChangeProtected === true, changes: [...since, ...changes] }
}

/** Returns who has approved a call, where a rule asks for that. */
export const approvalsUnderRule = async (
  { store, workerPolicy }: Pick<AgentDependencies, "store" | "workerPolicy">,
  { sessionId, callId }: Pick<RunToolInput, "sessionId" | "callId">,
  tool: string,
): Promise<ApprovalsOfCall> => {
  const rule = ruleFor(workerPolicy?.approvals ?? [], tool)
  return rule === undefined ? noApprovals : await approvalsOfCall(store, { sessionId, callId, rule })
}

/** Returns who has approved a call by giving it new arguments. Where several must approve, nobody has: all of them are asked about these arguments. */
export const approvalsOfEdit = async (
  deps: Pick<AgentDependencies, "store" | "workerPolicy">,
  call: Pick<RunToolInput, "sessionId" | "callId">,
  tool: string,
): Promise<ApprovalsOfCall> =>
  (ruleFor(deps.workerPolicy?.approvals ?? [], tool)?.require ?? 1) > 1
    ? noApprovals
    : await approvalsUnderRule(deps, call, tool)

/** A call that has to be asked about again, and why; see `RunToolResult`. */
export interface AskedAgain {
  readonly changed: string
  readonly changesProtected?: true
}

/** Returns what people are told of a call that the gate lets run only after they were asked again. */
export const askedAgain = (
  { facts }: Pick<JudgedStart, "facts">,
  { why }: Extract<Verdict, { verdict: "ask" }>,
): AskedAgain => ({
  changed: why.map(({ text }) => text).join("; "),
  ...(isByIdOnly(facts) ? { changesProtected: true } : {}),
})

/** How the gate judged a call that is about to run. `grantedPath`: where its path leads, relative to the working directory, if it runs by a grant. */
export interface JudgedStart {
  readonly facts: CallFacts
  readonly verdict: Verdict
  readonly grantedPath?: string | undefined
}

/**
 * Asks the gate about a call right before it runs, with the facts as they are now: they may differ from those that were decided on. Only if the call may
 * not run, the store is asked whether an earlier attempt has started it.
 */
export const judgeStart = async (
  deps: StartDependencies,
  input: StartInput,
  { snapshot, call, hasBegun, changes, canAsk = input.canAskAgain === true, ...judged }: Starting,
): Promise<JudgedStart> => {
  const decided = await decidedBefore(deps, input, { snapshot, changes, call, ...judged })
  const approvals = judged.approvals ?? (await approvalsUnderRule(deps, input, judged.tool.name))
  const found = await collectFacts(deps, snapshot, {
    ...judged,
    arguments: call?.arguments,
    decided,
    canAsk,
    approvals,
  })
  const { grant, path: grantedPath } = await grantNow(deps, input, { snapshot, call, opens: found.process?.opens })
  const facts = { ...found, grant }
  const verdict = gate(facts)
  if (verdict.verdict === "run" || !(hasBegun ?? (await hasStarted(deps.store, input, call))))
    return { facts, verdict, grantedPath }
  const begun: CallFacts = { ...facts, decided: { by: "attempt" } }
  return { facts: begun, verdict: gate(begun), grantedPath }
}
