import { isAbsolute } from "node:path"
import { markNames } from "./process/process-mark.ts"

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
  /** Called once when the command and its leftovers have ended, or could not be started. */
  readonly cleanUp?: () => Promise<void>
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

/**
 * A guard of the group reads file descriptor 3: when its other end closes (the command has ended, or the worker died), it kills the
 * group, itself included. It is forked twice, so that the command does not meet a child that it did not start. Takes the two marks from
 * the arguments.
 */
export const guard = [
  closeInherited,
  "( { trap '' TERM INT HUP; IFS= read -r _ <&3; kill -KILL -- -$$; } >/dev/null 2>&1 & )",
  "exec 3<&-",
  `export ${markNames.owner}="$1" ${markNames.command}="$2"`,
  "shift 2",
].join("; ")

const mergingOutput = [shellFile, "-c", `exec ${shellFile} -c "$1" 2>&1`, "bash"] as const

/** What a sandbox runs inside: a shell command with one output, or the program as it is. */
export const confinedArguments = ({ what }: LaunchRequest): readonly string[] =>
  what.type === "shell" ? [...mergingOutput, what.command] : [what.file, ...what.args]

/** A program that is named by its path is shown, wherever it lies. */
export const programPaths = ({ what }: LaunchRequest): readonly string[] =>
  what.type === "program" && isAbsolute(what.file) ? [what.file] : []
