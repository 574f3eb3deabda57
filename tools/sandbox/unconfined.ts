import { closeInherited, shellFile } from "./launch.ts"
import type { Launch, Marks } from "./launch.ts"
import { createProcessRunner, defaultProcessLimits } from "./run-process.ts"
import type { ProcessLimits } from "./run-process.ts"
import type { Sandbox, SandboxCommand } from "./sandbox.ts"
import { markNames } from "./process-mark.ts"

/**
 * A guard of the group reads file descriptor 3: when its other end closes (the command has ended, or the worker died), it kills the
 * group, itself included. It is forked twice, so that the command does not meet a child that it did not start.
 */
const guardedShell = [
  closeInherited,
  "( { trap '' TERM INT HUP; IFS= read -r _ <&3; kill -KILL -- -$$; } >/dev/null 2>&1 & )",
  "exec 3<&-",
  `export ${markNames.owner}="$2" ${markNames.command}="$3"`,
  `exec ${shellFile} -c "$1" 2>&1`,
].join("; ")

const plan = async (command: SandboxCommand, marks: Marks): Promise<Launch> => ({
  file: shellFile,
  args: ["-c", guardedShell, "bash", command.command, marks[markNames.owner] ?? "", marks[markNames.command] ?? ""],
  env: command.env,
  cwd: command.cwd,
  descriptor3: { type: "lifeline" },
  groupTakesSigterm: true,
  leavesNothing: false,
})

/** Runs processes directly, with the worker's own rights. `reason` says why nothing confines them. */
export const createUnconfined = (reason: string, limits: ProcessLimits = defaultProcessLimits): Sandbox => {
  const runner = createProcessRunner(limits)
  return {
    kind: "none",
    confined: false,
    reason,
    run: (command) => runner.run(command, plan),
    stopBackground: (ownerId) => runner.stopBackground(ownerId),
  }
}
