import type { RunOptions } from "../../contracts/run/run-options.ts"
import type { RunSnapshot } from "../../contracts/run-snapshot.ts"
import { intersectTools, toolListCovers } from "../tools/tool-names.ts"

/** Which calls of a run need no decision: only those that policy allows, those of the listed tools, or all. */
export type RunApproval = RunSnapshot["approval"]

/** Returns which calls run without a decision, as `auto_approve` of a request asks for it; undefined if it does not say. */
export const requestedApproval = (asked: RunOptions["auto_approve"]): RunApproval | undefined => {
  if (asked === undefined) return undefined
  if (typeof asked === "boolean") return asked ? "all" : "policy"
  return [...asked]
}

/** Returns the approval that both allow. */
export const narrowApproval = (base: RunApproval, wanted: RunApproval): RunApproval => {
  if (base === "all" || wanted === "policy") return wanted
  if (base === "policy") return "policy"
  return wanted === "all" ? base : [...intersectTools(base, wanted)]
}

/** Returns the field of a message or decision that limits what its sender may approve; no field for a sender who may approve everything. */
export const approvalField = (approval: RunApproval): { readonly approval?: RunApproval } =>
  approval === "all" ? {} : { approval }

/** Returns true if `wanted` lets calls run without approval that `base` does not. */
export const approvesMore = (base: RunApproval, wanted: RunApproval | readonly string[]): boolean => {
  if (base === "all" || wanted === "policy") return false
  if (base === "policy" || wanted === "all") return wanted === "all" || wanted.length > 0
  return wanted.some((name) => !toolListCovers(base, name))
}
