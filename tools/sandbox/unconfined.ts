import { guard, shellFile, shellFlags, type Launch, type LaunchRequest, type Marks } from "./launch.ts"
import { sandboxUnavailable } from "../sandbox-unavailable.ts"
import { createProcessRunner, defaultProcessLimits, type ProcessLimits } from "./process/run-process.ts"
import { createProgramRunner } from "./process/run-program.ts"
import type { Sandbox } from "./sandbox.ts"
import { markFile, markNames } from "./process/process-mark.ts"

/** Replaces the shell that set up the guard by the program, so that no shell interprets its arguments. */
const guardedProgram = `${guard}; exec -- "$@"`
const guardedShell = `${guard}; exec ${shellFile} -c "$1" 2>&1`

const plan = async (request: LaunchRequest, marks: Marks): Promise<Launch> => {
  if (request.scratchDir !== undefined)
    throw sandboxUnavailable("commands of this task run only in a sandbox, and there is none; start a task without one")
  return planUnconfined(request, marks)
}

const planUnconfined = ({ what, env, cwd }: LaunchRequest, marks: Marks): Launch => ({
  file: shellFile,
  args: [
    ...shellFlags,
    what.type === "shell" ? guardedShell : guardedProgram,
    "bash",
    marks[markNames.owner] ?? "",
    marks[markNames.command] ?? "",
    ...(what.type === "shell" ? [what.command] : [what.file, ...what.args]),
  ],
  env,
  cwd,
  descriptor3: { type: "lifeline" },
  // Only Linux shows the descriptors of other processes.
  ...(process.platform === "linux" ? { markFile: markFile(marks) } : {}),
  groupTakesSigterm: true,
  leavesNothing: false,
})

/** Runs processes directly, with the worker's own rights. `reason`: why they are not confined. */
export const createUnconfined = (reason: string, limits: ProcessLimits = defaultProcessLimits): Sandbox => {
  const runner = createProcessRunner(limits)
  const runProgram = createProgramRunner(plan)
  return {
    kind: "none",
    confined: false,
    reason,
    run: (command) => runner.run(command, plan),
    runProgram,
    stopBackground: (ownerId) => runner.stopBackground(ownerId),
  }
}
