import { webFetchName } from "../tools/tool-names.ts"
import { gate } from "./gate.ts"
import { type ApprovalSettings, settingsFacts } from "./settings-facts.ts"
import { processFacts } from "./process-sandbox.ts"
import type { PolicyTool } from "./tool-policy.ts"

/** What is known of a call that nobody has looked at: nothing but its settings counts. */
const plainCall = { change: { kind: "free" }, decided: { by: "nobody" }, canAsk: true } as const

/** Returns whether every call of a tool would be refused where no sandbox works. */
export const isRefusedUnconfined = (
  tool: PolicyTool,
  run: ApprovalSettings & Parameters<typeof processFacts>[1],
): boolean => {
  const process = processFacts(tool.name, run, { confined: false })
  const judged = gate({ ...settingsFacts(tool, run), ...plainCall, process })
  return judged.verdict === "refuse" && judged.why.about === "sandbox"
}

/** Says that Bash is left out where no sandbox works, and what to do about it. `isDemanded`: the run may work in a sandbox only, whoever it asks. */
export const leftOutText = (reason: string | undefined, isDemanded = false): string =>
  isDemanded
    ? `no sandbox works here, and this run demands one, so Bash is left out: ${reason ?? "none is available"} (make one work)`
    : `no sandbox works here, so Bash is left out of runs that ask nobody: ${reason ?? "none is available"} (make one work, start the run as unconfined, or set security.sandbox to off)`

/** Returns whether every page that a tool could read would be refused: the run asks nobody, and the configuration names no host. */
export const isRefusedUnnamed = (tool: PolicyTool, run: ApprovalSettings, hosts: readonly string[]): boolean => {
  if (tool.name !== webFetchName || hosts.length > 0) return false
  const judged = gate({ ...settingsFacts(tool, run), ...plainCall, web: { host: "", isKnown: false } })
  return judged.verdict === "refuse"
}

/** Returns whether the verdict on a tool depends on whether it is read-only. Only then is the MCP server asked about its tool. */
export const dependsOnReadOnly = (name: string, run: ApprovalSettings): boolean => {
  const [whenTrue, whenFalse] = [true, false].map(
    (readOnly) => gate({ ...settingsFacts({ name, readOnly }, run), ...plainCall }).verdict,
  )
  return whenTrue !== whenFalse
}
