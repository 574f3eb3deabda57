import {
  closeInherited,
  guard,
  guardedByLifeline,
  shellFile,
  shellFlags,
  statusArguments,
  type Launch,
  type Marks,
} from "../launch.ts"
import { kernelLimits, type ResourceLimits } from "../process/resource-limits.ts"
import { setIdFilter } from "../seccomp/seccomp-filter.ts"
import { markNames } from "../process/process-mark.ts"

export interface RuntimeLaunchRequest {
  /** The runtime's shell command around `runtimeScript` of the platform. */
  readonly wrapped: string
  /** The program and its arguments inside. */
  readonly args: readonly string[]
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  readonly marks: Marks
  readonly resources: ResourceLimits
  readonly cleanUp: () => Promise<void>
}

const systemPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

/**
 * The script inside on Linux. It reads the environment, an empty entry and the arguments from descriptor 3, each terminated by a zero byte. So the
 * runtime's own programs, which are not always confined, do not see them, no command line shows them, and no quoting is necessary.
 */
const linuxScript = [
  'while IFS= read -r -d "" _entry && [ -n "$_entry" ]; do export "$_entry"; done <&3',
  "set --",
  'while IFS= read -r -d "" _entry; do set -- "$@" "$_entry"; done <&3',
  "unset _entry",
  "exec 3<&-",
  closeInherited,
  "[ -e /var/tmp ] || ln -s ../tmp /var/tmp 2>/dev/null",
  'exec -- "$@"',
].join("; ")

/** The script inside on macOS. It sets the temporary directory, since all commands would share that of the runtime. */
const macScript = 'export HOME="$1" TMPDIR="$1"; shift; exec -- "$@"'

/** Returns the script that the runtime wraps. */
export const runtimeScript = (platform: "linux" | "darwin"): string => (platform === "linux" ? linuxScript : macScript)

const terminated = (text: string): string => `${text}\0`

/**
 * Starts the runtime's command with more arguments for its bubblewrap, whose path is the second argument: the filter of system calls, and what the guard
 * needs. Fails if bubblewrap is not in the command: then nothing would refuse what the filter refuses.
 */
const startGuarded = [
  '_bubblewrap="$2" _more=("${@:3}")',
  'eval "_words=($1)"',
  "_all=()",
  "_found=",
  'for _word in "${_words[@]}"; do _all+=("$_word"); if [ -z "$_found" ] && [ "$_word" = "$_bubblewrap" ]; then _all+=("${_more[@]}"); _found=yes; fi; done',
  '[ -n "$_found" ] || { echo "the command of sandbox-runtime does not start $_bubblewrap" >&2; exit 125; }',
  'exec -- "${_all[@]}"',
].join("; ")

/** The runtime filters Unix sockets and namespaces itself. */
const filter = setIdFilter(process.arch)

/** Whether commands cannot set the setuid and setgid bits of files. */
export const runtimeRefusesSetId = process.platform === "linux" && filter !== undefined

/** Returns the launch on Linux. No process survives: the guard ends bubblewrap with the worker, and its end ends its process namespace. */
export const linuxLaunch = (
  { wrapped, args, cwd, env, marks, resources, cleanUp }: RuntimeLaunchRequest,
  bubblewrap: string,
): Launch => {
  const variables = Object.entries({ ...env, ...marks }).map(([name, value]) => `${name}=${value}`)
  const more = [...(filter === undefined ? [] : ["--seccomp", "4"]), ...statusArguments]
  return {
    file: shellFile,
    args: [
      ...shellFlags,
      `${guardedByLifeline}; ${kernelLimits(resources)}; ${startGuarded}`,
      ...["bash", wrapped, bubblewrap, ...more],
    ],
    ...(filter === undefined ? {} : { filter }),
    env: { PATH: systemPath },
    cwd,
    descriptor3: { type: "arguments", bytes: Buffer.from([...variables, "", ...args].map(terminated).join("")) },
    lifeline5: true,
    resources,
    groupTakesSigterm: false,
    leavesNothing: true,
    cleanUp,
  }
}

/** Returns the launch on macOS, which has no process namespaces: a guard ends the process group with the worker. */
export const macLaunch = (request: RuntimeLaunchRequest, tmp: string): Launch => ({
  file: shellFile,
  args: [
    ...shellFlags,
    `${guard}; ${kernelLimits(request.resources)}; _wrapped="$1"; shift; eval "exec $_wrapped bash \\"\\$@\\""`,
    "bash",
    request.marks[markNames.owner] ?? "",
    request.marks[markNames.command] ?? "",
    request.wrapped,
    tmp,
    ...request.args,
  ],
  env: request.env,
  cwd: request.cwd,
  descriptor3: { type: "lifeline" },
  groupTakesSigterm: true,
  leavesNothing: false,
  cleanUp: request.cleanUp,
})
