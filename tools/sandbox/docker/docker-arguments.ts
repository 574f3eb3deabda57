import type { FixedPaths } from "../../../domain/workspace/protected-paths.ts"
import { sandboxUnavailable } from "../../sandbox-unavailable.ts"

export interface DockerView {
  readonly image: string
  /** Name by which the container is removed. */
  readonly name: string
  /** Labels by which the containers of a run or a command are found. */
  readonly labels: Readonly<Record<string, string>>
  readonly user: string
  /** Whether root inside keeps the capabilities to write to a directory of another user. */
  readonly overridesOwner: boolean
  /** Whether the container is exempt from the engine's mapping of users. */
  readonly hostUsers: boolean
  /** Whether the container's processes are exempt from the labels of files. */
  readonly unlabelled: boolean
  /** Real path of the only writable directory. */
  readonly cwd: string
  readonly readOnlyPaths: readonly string[]
  /** Parts of `cwd` that are read-only, and directories that stay in place. */
  readonly fixed: FixedPaths
  /** Directories that are shown as empty. */
  readonly hiddenDirs: readonly string[]
  readonly network: boolean
  /** Whether the client passes its standard input to the command. */
  readonly interactive: boolean
  readonly memoryBytes: number
  readonly maxProcesses: number
  /** For each process. */
  readonly cpuSeconds: number
  readonly fileBytes: number
  readonly tmpBytes: number
  /** The scratch folder of a task in a sandbox of its own: then `cwd` is read-only, and this is the temporary directory. */
  readonly scratchDir?: string | undefined
  /** Sockets and pipes below `cwd` that are hidden. */
  readonly closedPaths?: readonly string[]
  /** Options for the environment. */
  readonly environment: readonly string[]
}

/** Returns a field of the comma-separated value of `--mount`, quoted if necessary. */
const field = (key: string, path: string): string => {
  if (/[\r\n\0]/.test(path))
    throw sandboxUnavailable(
      `docker cannot mount ${JSON.stringify(path)}, since its name has more than one line; rename it`,
    )
  const text = `${key}=${path}`
  return /[",]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

const bind = (path: string, readOnly: boolean, source = path): readonly string[] => [
  "--mount",
  `type=bind,${field("source", source)},${field("target", path)}${readOnly ? ",readonly" : ""}`,
]

const emptyDirectory = (path: string): readonly string[] => [
  "--mount",
  `type=tmpfs,${field("target", path)},tmpfs-size=4096,tmpfs-mode=0555,readonly`,
]

const temporary = (bytes: number): readonly string[] => ["--tmpfs", `/tmp:rw,exec,nosuid,nodev,size=${bytes},mode=1777`]

/** Keeps the last of several mounts at one place, because Docker refuses two. Docker itself sorts outer mounts before inner ones. */
const mounts = (view: DockerView): readonly string[] => {
  const { scratchDir } = view
  const tmp = scratchDir === undefined ? temporary(view.tmpBytes) : bind("/tmp", false, scratchDir)
  const byTarget = new Map([["/tmp", tmp]])
  for (const path of view.readOnlyPaths) byTarget.set(path, bind(path, true))
  if (scratchDir === undefined) {
    for (const path of [view.cwd, ...view.fixed.pinned]) byTarget.set(path, bind(path, false))
    for (const path of view.fixed.readOnly) byTarget.set(path, bind(path, true))
  } else {
    byTarget.set(view.cwd, bind(view.cwd, true))
    for (const path of view.closedPaths ?? []) byTarget.set(path, bind(path, true, "/dev/null"))
  }
  for (const path of view.hiddenDirs) byTarget.set(path, emptyDirectory(path))
  return [...byTarget.values()].flat()
}

const rights = (view: DockerView): readonly string[] => [
  "--read-only",
  "--cap-drop",
  "ALL",
  ...(view.overridesOwner ? ["--cap-add", "DAC_OVERRIDE", "--cap-add", "FOWNER"] : []),
  "--security-opt",
  "no-new-privileges=true",
  ...(view.unlabelled ? ["--security-opt", "label=disable"] : []),
  "--user",
  view.user,
  ...(view.hostUsers ? ["--userns", "host"] : []),
  ...(view.network ? [] : ["--network", "none"]),
]

const limits = (view: DockerView): readonly string[] => [
  "--pids-limit",
  String(view.maxProcesses),
  "--memory",
  String(view.memoryBytes),
  "--memory-swap",
  String(view.memoryBytes),
  ...["--ulimit", `cpu=${view.cpuSeconds}`],
  ...["--ulimit", `fsize=${view.fileBytes}`],
  ...["--ulimit", "core=0"],
]

/**
 * Returns the arguments of `docker run` for one command in its own container: the image read-only, one directory writable, and no container or log
 * that remains afterwards.
 */
export const dockerArguments = (view: DockerView, [file = "", ...args]: readonly string[]): readonly string[] => [
  "--rm",
  "--init",
  ...["--pull", "never"],
  ...["--name", view.name],
  ...Object.entries(view.labels).flatMap(([name, value]) => ["--label", `${name}=${value}`]),
  ...["--log-driver", "none"],
  "--no-healthcheck",
  ...["--stop-signal", "SIGTERM"],
  ...(view.interactive ? ["--interactive"] : []),
  ...rights(view),
  ...limits(view),
  ...mounts(view),
  ...["--workdir", view.cwd],
  ...view.environment,
  ...["--entrypoint", file],
  view.image,
  ...args,
]
