import type { RunSnapshot } from "../../contracts/run-snapshot.ts"
import {
  type Disposition,
  dispositionOf,
  type PolicyTool,
  sandboxModeOf,
  startsProcesses,
} from "../../domain/approval/disposition.ts"
import type { AgentDependencies } from "../agent-dependencies.ts"

/** Returns the disposition of a call of a run on this worker, whose sandbox is asked for only where that makes a difference. */
export const callDisposition = async (
  { sandboxFor }: Pick<AgentDependencies, "sandboxFor">,
  snapshot: RunSnapshot,
  tool: PolicyTool,
): Promise<Disposition> =>
  dispositionOf(
    tool,
    snapshot,
    startsProcesses(tool.name) && (await sandboxFor(sandboxModeOf(tool.name, snapshot))).confined,
  )
