import { existsSync } from "node:fs"
import { join } from "node:path"
import type { SandboxCommand } from "../../../../tools/sandbox/sandbox.ts"
import type { ProcessLimits } from "../../../../tools/sandbox/process/run-process.ts"
import { createWorkspace } from "../workspace.ts"
import type { Workspace } from "../workspace.ts"

export const testLimits: ProcessLimits = { graceMs: 300, maxOutputFileBytes: 200_000, backgroundStartMs: 100 }

/** Lets a process that is stopped clean up, however slow the machine is. */
export const patientLimits: ProcessLimits = { ...testLimits, graceMs: 60_000 }

/**
 * Runs a command or program, in a workspace of its own, that writes the file `ready` and then exceeds its time limit. If its time was up before it was
 * ready, it is run again with more.
 */
export const runUntilTimeIsUp = async <Work extends { readonly cwd: string }, Result>(
  create: (timeoutMs: number) => Work,
  run: (work: Work) => Promise<Result>,
): Promise<Work & { readonly result: Result }> => {
  for (let timeoutMs = 300; timeoutMs < 60_000; timeoutMs *= 2) {
    const work = create(timeoutMs)
    const result = await run(work)
    if (existsSync(join(work.cwd, "ready"))) return { ...work, result }
  }
  throw new Error("the command does not write the file ready")
}

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
