import type { RunSnapshot, SandboxMode } from "../../contracts/run-snapshot.ts"
import {
  type Disposition,
  dispositionOf,
  type PolicyTool,
  sandboxModeOf,
  startsProcesses,
} from "../../domain/approval/disposition.ts"
import type { Sandbox } from "../../tools/sandbox/sandbox.ts"

/** Returns the disposition of a call of a run on this worker, whose sandbox is asked for only where that makes a difference. */
export const callDisposition = async (
  { sandboxFor }: { readonly sandboxFor: (mode: SandboxMode) => Promise<Pick<Sandbox, "confined">> },
  snapshot: RunSnapshot,
  tool: PolicyTool,
): Promise<Disposition> =>
  dispositionOf(
    tool,
    snapshot,
    startsProcesses(tool.name) && (await sandboxFor(sandboxModeOf(tool.name, snapshot))).confined,
  )
