import type { SandboxCommand } from "./sandbox.ts"

/** How a sandbox starts one command. */
export interface Launch {
  /** Absolute path of the program and its arguments. */
  readonly file: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly cwd: string
  /** What goes to file descriptor 3: arguments, after which it is closed, or nothing, and its end means that the command is to die. */
  readonly descriptor3: { readonly type: "arguments"; readonly text: string } | { readonly type: "lifeline" }
  /** See StoppableProcess. */
  readonly groupTakesSigterm: boolean
  /** True: the end of the program leaves no process behind. */
  readonly leavesNothing: boolean
}

/** The marks that the command's processes are to carry, as environment variables. */
export type Marks = Readonly<Record<string, string>>

export type PlanLaunch = (command: SandboxCommand, marks: Marks) => Promise<Launch>

/** Absolute: found without asking the environment that a tool may have shaped. */
export const shellFile = "/bin/bash"
