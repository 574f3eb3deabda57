import type { RunSnapshot } from "../../contracts/run-snapshot.ts"
import { intersectTools, toolListCovers } from "../tools/tool-names.ts"

/** Which calls of a run need no decision: none beyond policy, those of some tools, or all. */
export type Approval = RunSnapshot["approval"]

/** Returns the approval that both allow. */
export const narrowApproval = (base: Approval, wanted: Approval): Approval => {
  if (base === "all" || wanted === "policy") return wanted
  if (base === "policy") return "policy"
  return wanted === "all" ? base : [...intersectTools(base, wanted)]
}

/** The field of a message or a decision that says what its sender may approve at most; left out for those who may approve everything. */
export const approvalField = (approval: Approval): { readonly approval?: Approval } =>
  approval === "all" ? {} : { approval }

/** True where `wanted` lets calls run unasked that `base` does not. */
export const approvesMore = (base: Approval, wanted: Approval | readonly string[]): boolean => {
  if (base === "all" || wanted === "policy") return false
  if (base === "policy" || wanted === "all") return wanted === "all" || wanted.length > 0
  return wanted.some((name) => !toolListCovers(base, name))
}
