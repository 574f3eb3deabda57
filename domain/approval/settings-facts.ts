import type { RunSnapshot } from "../../contracts/run-snapshot.ts"
import { toolListCovers } from "../tools/tool-names.ts"
import type { CallFacts } from "./gate.ts"
import { type PolicyTool, runToolPolicy } from "./tool-policy.ts"
import { type WorkerPolicy, workerModeOf } from "./worker-policy.ts"

const approvalFact = (name: string, approval: RunSnapshot["approval"]): CallFacts["approval"] => {
  if (approval === "all" || approval === "policy") return approval
  if (approval.includes(name)) return "named"
  return toolListCovers(approval, name) ? "covered" : "policy"
}

export type ApprovalSettings = Pick<RunSnapshot, "policy" | "inheritedPolicies" | "approval" | "never">

/** Returns the facts about a call that follow from the settings of its run and of the worker. */
export const settingsFacts = (
  tool: PolicyTool,
  run: ApprovalSettings,
  worker?: WorkerPolicy,
): Pick<CallFacts, "name" | "policy" | "workerPolicy" | "approval" | "never"> => ({
  name: tool.name,
  policy: runToolPolicy(tool, run),
  workerPolicy: workerModeOf(tool.name, worker),
  approval: approvalFact(tool.name, run.approval),
  never: run.never,
})
