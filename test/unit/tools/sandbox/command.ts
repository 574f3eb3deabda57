import { join } from "node:path"
import type { SandboxCommand } from "../../../../tools/sandbox/sandbox.ts"
import type { ProcessLimits } from "../../../../tools/sandbox/process/run-process.ts"
import { createWorkspace } from "../workspace.ts"
import type { Workspace } from "../workspace.ts"

export const testLimits: ProcessLimits = { graceMs: 300, maxOutputFileBytes: 200_000, backgroundStartMs: 100 }

/** Returns a command in a fresh workspace, with short limits. */
export const createCommand = (
  command: string,
  overrides: Partial<SandboxCommand> = {},
): SandboxCommand & { readonly workspace: Workspace } => {
  const workspace = createWorkspace()
  return {
    workspace,
    command,
    cwd: workspace.cwd,
    env: workspace.context.env,
    timeoutMs: 20_000,
    signal: new AbortController().signal,
    outputFile: join(workspace.root, "outputs", "output.txt"),
    maxOutputBytes: 10_000,
    ownerId: workspace.context.sessionId,
    ...overrides,
  }
}
