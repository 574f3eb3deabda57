import { existsSync } from "node:fs"
import { isAbsolute } from "node:path"
import { directoriesBetween } from "../../domain/workspace/is-inside.ts"
import { hasRawBytes, shownPath } from "../disk/disk-path.ts"
import { sandboxUnavailable } from "../sandbox-unavailable.ts"
import type { CommandCgroup } from "./cgroup/command-cgroup.ts"
import type { ResourceLimits } from "./process/resource-limits.ts"
import type { FixedPaths } from "../../domain/workspace/protected-paths.ts"
import { markDescriptor, markNames } from "./process/process-mark.ts"

/** What a sandbox needs to know about a command. */
export interface LaunchRequest {
  readonly what:
    | { readonly type: "shell"; readonly command: string }
    | { readonly type: "program"; readonly file: string; readonly args: readonly string[] }
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  readonly hiddenDirs?: readonly string[]
  readonly fixed?: FixedPaths
  /** See `SandboxCommand`. */
  readonly scratchDir?: string
  readonly closedPaths?: readonly string[]
  readonly network?: readonly string[]
  /** Process ids of background commands of the same owner, whose ports the command reaches if the sandbox can do that. */
  readonly peers?: readonly number[]
  /** Whether it runs in the background: it is a peer of later commands. */
  readonly background?: boolean
}

/** The variable that names the scratch folder of a task inside its sandbox. */
export const scratchVariable = "ADJUTANT_SCRATCH"

/** Returns what stays in place for a command, with the directories on the way to what is hidden: moved away, it would no longer be hidden. */
export const fixedOf = ({ fixed, hiddenDirs = [] }: LaunchRequest, cwd: string): FixedPaths => {
  const hidden = hiddenDirs.filter((path) => existsSync(path)).flatMap((path) => directoriesBetween(cwd, path))
  return { readOnly: fixed?.readOnly ?? [], pinned: [...new Set([...(fixed?.pinned ?? []), ...hidden])].toSorted() }
}

/** Checks that a sandbox that is given paths as text can be given all of them. @throws AdjutantError `sandbox_unavailable` */
export const refuseRawPaths = ({ fixed, closedPaths = [] }: LaunchRequest): void => {
  const raw = [...(fixed?.readOnly ?? []), ...(fixed?.pinned ?? []), ...closedPaths].find(hasRawBytes)
  if (raw === undefined) return
  throw sandboxUnavailable(
    `this sandbox cannot protect ${shownPath(raw)}, since its name is not UTF-8; rename it, or use bubblewrap`,
  )
}

/** How a sandbox starts one command. */
export interface Launch {
  /** Absolute path of the program and its arguments. */
  readonly file: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly cwd: string
  /** Use of file descriptor 3: `arguments` are written to it, then it closes; a `lifeline` carries nothing, and its end stops the command. */
  readonly descriptor3: { readonly type: "arguments"; readonly bytes: Buffer } | { readonly type: "lifeline" }
  /** Filter of system calls that file descriptor 4 provides. */
  readonly filter?: Buffer
  /** Whether file descriptor 5 is a lifeline: see `guardedByLifeline`. */
  readonly lifeline5?: boolean
  /** Name of the file that file descriptor 4 marks the command's processes with; see `openMark`. */
  readonly markFile?: string
  /** Watched while the command runs; see `watchResources`. */
  readonly resources?: ResourceLimits
  /** The control group that the command enters. */
  readonly cgroup?: CommandCgroup
  /** See StoppableProcess. */
  readonly groupTakesSigterm: boolean
  /** Whether the end of the program leaves no process behind. */
  readonly leavesNothing: boolean
  /** Called once when the command and its leftovers have ended, or could not be started. */
  readonly cleanUp?: () => Promise<void>
}

/** The marks of the command's processes, as environment variables. */
export type Marks = Readonly<Record<string, string>>

export type PlanLaunch = (request: LaunchRequest, marks: Marks) => Promise<Launch>

/** Absolute path, so that the environment, which a tool may control, does not affect it. */
export const shellFile = "/bin/bash"
/** Without `--norc`, the shell reads the user's `.bashrc` if its input is a socket, as Node's pipes are. */
export const shellFlags = ["--norc", "-c"] as const

const closeAbove = (last: number): string =>
  `for _fd in /dev/fd/*; do _fd=\${_fd##*/}; case $_fd in *[!0-9]*|[0-${last}]) ;; *) eval "exec $_fd>&-" ;; esac; done; unset _fd`

/**
 * Shell code that closes the file descriptors above 3 that the worker inherited from its parent. A directory or socket among them would be a way
 * out of any sandbox.
 */
export const closeInherited = closeAbove(3)

/** The descriptor on which bubblewrap writes the id of the first process inside. */
const statusDescriptor = 6

/** The arguments of bubblewrap that `guardedByLifeline` needs. */
export const statusArguments = ["--json-status-fd", String(statusDescriptor)] as const

/**
 * Shell code for what becomes bubblewrap. It closes what `closeInherited` closes, apart from descriptor 4 with the filter, and starts a guard. When the
 * other end of descriptor 5 closes without a line, the guard kills the process group, and then the first process inside, which may have left the group.
 * bubblewrap's own `--die-with-parent` is not enough: each of its processes asks for that signal some milliseconds after its start, and what starts while
 * the worker is killed would stay. bubblewrap writes the id before it lets that process go on, so that one without an id is still in the group.
 */
export const guardedByLifeline = [
  closeAbove(5),
  `exec ${statusDescriptor}> >( set -m; { exec 3<&- 4<&-; trap '' TERM INT HUP; IFS= read -r _ <&5 || { kill -KILL -- -$$; while IFS= read -r -t 1 _line; do [[ $_line =~ '"child-pid": '([0-9]+) ]] && kill -KILL "\${BASH_REMATCH[1]}"; done; }; } <&0 >/dev/null 2>&1 & )`,
  "exec 5<&-",
  // Also the copy that the shell keeps of the pipe to the guard: nothing inside may write to it.
  closeAbove(statusDescriptor),
].join("; ")

/**
 * Shell code that starts a guard of the process group. The guard reads file descriptor 3: when its other end closes (the command has ended, or the
 * worker died), it kills the group, including itself. It is forked twice, so that the command has no child that it did not start. Takes the two
 * marks from the arguments.
 */
export const guard = [
  closeAbove(4),
  "( { exec 4<&-; trap '' TERM INT HUP; IFS= read -r _ <&3; kill -KILL -- -$$; } >/dev/null 2>&1 & )",
  "exec 3<&-",
  // Without a file that marks the processes, there is no descriptor 4.
  `{ exec ${markDescriptor}<&4 4<&-; } 2>/dev/null`,
  `export ${markNames.owner}="$1" ${markNames.command}="$2"`,
  "shift 2",
].join("; ")

const mergingOutput = [shellFile, "-c", `exec ${shellFile} -c "$1" 2>&1`, "bash"] as const

/** Returns what runs inside a sandbox: a shell command whose outputs are merged, or the program unchanged. */
export const confinedArguments = ({ what }: LaunchRequest): readonly string[] =>
  what.type === "shell" ? [...mergingOutput, what.command] : [what.file, ...what.args]

/** Returns the path of a program that is given by its absolute path, which must be visible inside the sandbox. */
export const programPaths = ({ what }: LaunchRequest): readonly string[] =>
  what.type === "program" && isAbsolute(what.file) ? [what.file] : []
