import type { RunSnapshot } from "../../contracts/run-snapshot.ts"

/**
 * Returns what the audit log says about the settings of a run when it is started: `all`, the tools whose calls run without a decision, or `policy`.
 * With `all`, `waived` names the tools whose calls nobody decides. `unconfined`: Bash may run unasked where no sandbox works.
 */
export const startDetail = ({
  approval,
  tools,
  unconfined,
}: Pick<RunSnapshot, "approval" | "tools" | "unconfined">) => ({
  approval,
  ...(unconfined === true ? { unconfined } : {}),
  ...(approval === "all" ? { waived: tools } : {}),
})
