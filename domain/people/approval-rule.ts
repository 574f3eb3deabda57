import type { ApprovalRuleConfig } from "../../contracts/config/people.ts"
import { toolListCovers } from "../tools/tool-names.ts"

/** Who decides about a call that a rule covers. */
export type CallRule = Pick<ApprovalRuleConfig, "approvers" | "require" | "notOwn">

/** Returns the rule that covers the calls of a tool, the first of several; undefined: none does. */
export const ruleFor = (rules: readonly ApprovalRuleConfig[], tool: string): CallRule | undefined => {
  const found = rules.find(({ tools }) => toolListCovers(tools, tool))
  if (found === undefined) return undefined
  const { approvers, require, notOwn } = found
  return { approvers, require, notOwn }
}

const named = (names: readonly string[]): string => names.join(", ")

/** Says in a few words who decides. */
export const ruleText = ({ approvers, require }: Pick<CallRule, "approvers" | "require">): string =>
  require === 1
    ? `approval by ${approvers.length === 1 ? "" : "one of "}${named(approvers)}`
    : `approval by ${require} of ${named(approvers)}`
