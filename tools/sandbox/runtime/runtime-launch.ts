import { closeInherited, guard, shellFile, shellFlags, type Launch, type Marks } from "../launch.ts"
import { markNames } from "../process/process-mark.ts"

export interface RuntimeLaunchRequest {
  /** The runtime's shell command around `scriptOf` the platform. */
  readonly wrapped: string
  /** What runs inside. */
  readonly args: readonly string[]
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  readonly marks: Marks
  readonly cleanUp: () => Promise<void>
}

const systemPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

/**
 * Inside on Linux: the environment, an empty entry, and the arguments are read from descriptor 3, each with a zero byte at its end. So the
 * runtime's own programs, which are not confined all along, see none of it, no command line shows it, and nothing has to be quoted.
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

/** Inside on macOS: the runtime sets a temporary directory of its own, which all commands would share. */
const macScript = 'export HOME="$1" TMPDIR="$1"; shift; exec -- "$@"'

/** What the runtime is given to wrap. */
export const runtimeScript = (platform: "linux" | "darwin"): string => (platform === "linux" ? linuxScript : macScript)

const terminated = (text: string): string => `${text}\0`

/** Nothing survives: the end of bubblewrap ends its process namespace, and bubblewrap dies with the worker. */
export const linuxLaunch = ({ wrapped, args, cwd, env, marks, cleanUp }: RuntimeLaunchRequest): Launch => {
  const variables = Object.entries({ ...env, ...marks }).map(([name, value]) => `${name}=${value}`)
  return {
    file: shellFile,
    args: [...shellFlags, `${closeInherited}; eval "exec $1"`, "bash", wrapped],
    env: { PATH: systemPath },
    cwd,
    descriptor3: { type: "arguments", text: [...variables, "", ...args].map(terminated).join("") },
    groupTakesSigterm: false,
    leavesNothing: true,
    cleanUp,
  }
}

/** There are no process namespaces: a guard ends the process group with the worker. */
export const macLaunch = (request: RuntimeLaunchRequest, tmp: string): Launch => ({
  file: shellFile,
  args: [
    ...shellFlags,
    `${guard}; _wrapped="$1"; shift; eval "exec $_wrapped bash \\"\\$@\\""`,
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
