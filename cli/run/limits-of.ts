import type { StartRequest } from "../../sessions/start/start-request.ts"
import type { LimitFlags } from "./run-flags.ts"

type Limits = Pick<StartRequest, "model" | "tools" | "maxSteps" | "timeoutSeconds" | "budgetUsd" | "budgetTokens">

/** The limits that were given; what was not given keeps its default. */
export const limitsOf = (flags: LimitFlags): Limits => ({
  ...(flags.model === undefined ? {} : { model: flags.model }),
  ...(flags.tool === undefined ? {} : { tools: flags.tool }),
  ...(flags.maxSteps === undefined ? {} : { maxSteps: flags.maxSteps }),
  ...(flags.timeout === undefined ? {} : { timeoutSeconds: flags.timeout }),
  ...(flags.budgetUsd === undefined ? {} : { budgetUsd: flags.budgetUsd }),
  ...(flags.budgetTokens === undefined ? {} : { budgetTokens: flags.budgetTokens }),
})
