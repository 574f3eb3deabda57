import type { RunSnapshot } from "../../../contracts/run-snapshot.ts"
import { type CallFacts, gate, type Verdict } from "../../../domain/approval/gate.ts"
import { settingsFacts } from "../../../domain/approval/settings-facts.ts"
import { processFacts } from "../../../domain/approval/process-sandbox.ts"
import type { PolicyTool } from "../../../domain/approval/tool-policy.ts"

/** A call of which nothing is known: it changes no protected path, and nobody has decided. */
export const plainCall = {
  change: { kind: "free" },
  decided: { by: "nobody" },
  canAsk: true,
} as const satisfies Partial<CallFacts>

type Settings = Parameters<typeof settingsFacts>[1]

/** Returns the verdict on a call of which only the settings of its run count. */
export const judgeSettings = (tool: PolicyTool, run: Settings): Verdict["verdict"] =>
  gate({ ...settingsFacts(tool, run), ...plainCall }).verdict

/** Returns the facts about a call of a run, on a worker with or without a sandbox. */
export const factsIn = (
  tool: PolicyTool,
  run: Settings & Pick<RunSnapshot, "sandbox" | "sandboxed" | "taskSandbox" | "unconfined">,
  confined: boolean,
): CallFacts => ({
  ...settingsFacts(tool, run),
  ...plainCall,
  process: processFacts(tool.name, run, { confined }),
})
