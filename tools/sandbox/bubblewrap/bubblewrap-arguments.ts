import { existsSync } from "node:fs"
import { diskPath } from "../../disk/disk-path.ts"
import { sandboxEnvironment } from "../../tool-environment.ts"
import { closedProcPaths, readOnlyProcPaths, type MaskedPath } from "../masked-paths.ts"
import type { FixedPaths } from "../../../domain/workspace/protected-paths.ts"
import { nodePath, resolverPath, systemMounts } from "../system-paths.ts"
import { isOwnedByAnother } from "../writable-directory.ts"

export interface BubblewrapView {
  /** Real path of the only writable directory. */
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  readonly hiddenDirs: readonly string[]
  /** Parts of `cwd` that are read-only. */
  readonly fixed: FixedPaths
  readonly readOnlyPaths: readonly string[]
  /** More directories and files that are writable. */
  readonly writablePaths: readonly string[]
  /** What is hidden of what is shown. */
  readonly hiddenOfShown: readonly MaskedPath[]
  /** The folder for what package managers download; it is `cacheDirectory` inside. */
  readonly cacheDir?: string | undefined
  readonly masked: readonly MaskedPath[]
  /** `entered`: one that background commands share, in which bubblewrap starts. */
  readonly network: boolean | "entered"
  readonly userNamespace: boolean
  readonly tmpBytes: number
  /** The scratch folder of a task in a sandbox of its own: then `cwd` is read-only, and this is the temporary directory. */
  readonly scratchDir?: string | undefined
  /** Sockets and pipes below `cwd` that are hidden. */
  readonly closedPaths: readonly string[]
}

/** Where commands find the folder for what package managers download. */
export const cacheDirectory = "/var/cache/adjutant"

const mask = ({ path, type }: MaskedPath): readonly string[] => {
  if (!existsSync(diskPath(path))) return []
  return type === "file" ? ["--ro-bind", "/dev/null", path] : ["--tmpfs", path, "--remount-ro", path]
}

const readOnly = (path: string): readonly string[] => ["--ro-bind", path, path]

const namespaces = (view: BubblewrapView): readonly string[] => [
  ...(view.userNamespace ? ["--unshare-user"] : []),
  "--unshare-pid",
  "--unshare-ipc",
  "--unshare-uts",
  "--unshare-cgroup-try",
  ...(view.network === false ? ["--unshare-net"] : []),
  "--die-with-parent",
  "--new-session",
]

/** Capabilities that a root worker needs to write to a directory of another user. */
const capabilities = (view: BubblewrapView): readonly string[] => [
  "--cap-drop",
  "ALL",
  ...(isOwnedByAnother(view.cwd) ? ["--cap-add", "CAP_DAC_OVERRIDE", "--cap-add", "CAP_FOWNER"] : []),
]

const network = (view: BubblewrapView): readonly string[] => {
  const resolver = view.network === true ? resolverPath() : undefined
  return resolver === undefined ? [] : readOnly(resolver)
}

const writable = (path: string): readonly string[] => ["--bind", path, path]

/**
 * Shows the working directory. A directory that contains a mount can be renamed, and another one put in its place; one that is a mount cannot. A
 * second mount over the whole directory hides the mounts of such directories, so that files can still be renamed and linked across them.
 */
const workspace = (view: BubblewrapView): readonly string[] =>
  view.scratchDir === undefined ? writableWorkspace(view) : [...readOnly(view.cwd), ...view.closedPaths.flatMap(closed)]

const closed = (path: string): readonly string[] => (existsSync(diskPath(path)) ? ["--ro-bind", "/dev/null", path] : [])

const writableWorkspace = ({ cwd, fixed }: BubblewrapView): readonly string[] => [
  ...writable(cwd),
  ...(fixed.pinned.length > 0 ? [...fixed.pinned.flatMap(writable), ...writable(cwd)] : []),
  ...fixed.readOnly.flatMap(readOnly),
]

const mounts = (view: BubblewrapView): readonly string[] => [
  ...systemMounts(),
  ...view.masked.flatMap(mask),
  "--dev",
  "/dev",
  "--proc",
  "/proc",
  ...readOnlyProcPaths.filter((path) => existsSync(path)).flatMap(readOnly),
  ...closedProcPaths.flatMap(mask),
  ...(view.scratchDir === undefined
    ? ["--size", String(view.tmpBytes), "--tmpfs", "/tmp"]
    : ["--bind", view.scratchDir, "/tmp"]),
  "--size",
  String(view.tmpBytes),
  "--tmpfs",
  "/dev/shm",
  "--dir",
  "/var",
  "--symlink",
  "../tmp",
  "/var/tmp",
  ...network(view),
  ...[nodePath(process.execPath), ...view.readOnlyPaths].filter((path) => existsSync(path)).flatMap(readOnly),
  ...view.hiddenOfShown.flatMap(mask),
  ...view.writablePaths.filter((path) => existsSync(path)).flatMap(writable),
  ...(view.cacheDir === undefined ? [] : ["--bind", view.cacheDir, cacheDirectory]),
  ...workspace(view),
  ...view.hiddenDirs.flatMap((path) => mask({ path, type: "directory" })),
  "--remount-ro",
  "/",
  "--chdir",
  view.cwd,
]

/** Returns the arguments for `--args`. They include the environment, since other users can read the command line. */
export const bubblewrapArguments = (view: BubblewrapView): readonly string[] => [
  ...namespaces(view),
  ...capabilities(view),
  ...mounts(view),
  "--clearenv",
  ...Object.entries(sandboxEnvironment(view.env)).flatMap(([name, value]) => ["--setenv", name, value]),
]
