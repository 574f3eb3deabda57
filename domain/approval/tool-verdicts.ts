import { webFetchName } from "../tools/tool-names.ts"
import { gate } from "./gate.ts"
import { type ApprovalSettings, settingsFacts } from "./settings-facts.ts"
import { processFacts } from "./process-sandbox.ts"
import { startOf } from "../text/foreign/well-formed.ts"
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

const longestReason = 200

/**
 * Says that Bash is left out where no sandbox works, and what to do about it. Of the reasons of all backends, it has the first: `adjutant doctor` shows
 * the others. `isDemanded`: the run may work in a sandbox only, whoever it asks.
 */
export const leftOutText = (reasons: string | undefined, isDemanded = false): string => {
  const reason = startOf(reasons?.split("; ")[0] ?? "none is available", longestReason)
  return isDemanded
    ? `no sandbox works here, so Bash is left out of this run, which demands one: ${reason}; run "adjutant doctor" to see what it needs`
    : `no sandbox works here, so Bash is left out of runs that ask nobody: ${reason}; run "adjutant doctor", or start the run as unconfined`
}

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
