/** What is to be started, as far as a sandbox depends on it. */
export interface LaunchRequest {
  readonly what:
    | { readonly type: "shell"; readonly command: string }
    | { readonly type: "program"; readonly file: string; readonly args: readonly string[] }
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  readonly hiddenDirs?: readonly string[]
}

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

export type PlanLaunch = (request: LaunchRequest, marks: Marks) => Promise<Launch>

/** Absolute: found without asking the environment that a tool may have shaped. */
export const shellFile = "/bin/bash"
/** Without `--norc` the shell reads the user's `.bashrc` where its input is a socket, as Node's pipes are. */
export const shellFlags = ["--norc", "-c"] as const

/**
 * Shell code that closes what the worker itself inherited from whoever started it (above descriptor 3): a directory or socket among
 * it would be a way out of any sandbox.
 */
export const closeInherited =
  'for _fd in /dev/fd/*; do _fd=${_fd##*/}; case $_fd in *[!0-9]*|[0-3]) ;; *) eval "exec $_fd>&-" ;; esac; done; unset _fd'
