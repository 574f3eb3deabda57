import type { RunSnapshot } from "../../contracts/run-snapshot.ts"

/**
 * Returns what the audit log says about the settings of a run when it is started: `all`, the tools whose calls run without a decision, or `policy`.
 * With `all`, `waived` names the tools whose calls nobody decides.
 */
export const startDetail = ({ approval, tools }: Pick<RunSnapshot, "approval" | "tools">) => ({
  approval,
  ...(approval === "all" ? { waived: tools } : {}),
})
