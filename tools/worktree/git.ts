import { execFile } from "node:child_process"
import { AdjutantError } from "../../contracts/adjutant-error.ts"
import { WorktreeLimit } from "../../domain/workspace/worktree/worktree-limit.ts"
import { systemCode } from "../../domain/text/error-message.ts"

/** One execution of git. */
export interface GitCommand {
  readonly args: readonly string[]
  readonly cwd: string
  /** Absolute path of the git directory, instead of the one that git would find. */
  readonly gitDir?: string
  readonly workTree?: string
  readonly indexFile?: string
  readonly input?: string | Buffer
  /** With more output, git is stopped; default 64 MiB. */
  readonly maxBytes?: number
  /** Stops git, or does not start it. */
  readonly signal?: AbortSignal | undefined
}

export interface GitResult {
  readonly code: number
  readonly stdout: Buffer
  readonly stderr: string
  /** The output was longer than `maxBytes`. */
  readonly isCut: boolean
}

const timeoutMs = 10 * 60_000
const defaultMaxBytes = 64 * 1024 * 1024
const maxError = 500

/** What makes git run programs, read files of users or ask for input, switched off. */
const hardened = [
  ...["-c", "core.hooksPath=/dev/null"],
  ...["-c", "core.fsmonitor=false"],
  ...["-c", "core.attributesFile=/dev/null"],
  ...["-c", "core.excludesFile=/dev/null"],
  ...["-c", "submodule.recurse=false"],
  // Entries name their worktrees by absolute paths, and the repository gets no extension for others.
  ...["-c", "worktree.useRelativePaths=false"],
  ...["-c", "gc.auto=0"],
  ...["-c", "maintenance.auto=false"],
  // Nothing that the repository configures is run, so it can belong to any user.
  ...["-c", "safe.directory=*"],
]

const gitEnvironment = ({ gitDir, workTree, indexFile }: GitCommand): Record<string, string> => ({
  PATH: process.env["PATH"] ?? "/usr/local/bin:/usr/bin:/bin",
  HOME: "/nonexistent",
  LC_ALL: "C",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_ATTR_NOSYSTEM: "1",
  GIT_TERMINAL_PROMPT: "0",
  GIT_OPTIONAL_LOCKS: "0",
  GIT_NO_LAZY_FETCH: "1",
  GIT_NO_REPLACE_OBJECTS: "1",
  GIT_LITERAL_PATHSPECS: "1",
  GIT_PAGER: "cat",
  ...(gitDir === undefined ? {} : { GIT_DIR: gitDir }),
  ...(workTree === undefined ? {} : { GIT_WORK_TREE: workTree }),
  ...(indexFile === undefined ? {} : { GIT_INDEX_FILE: indexFile }),
})

const noGit = (): AdjutantError =>
  new AdjutantError("invalid_argument", "git is not installed on this machine: install it to use worktrees")

const execute = (command: GitCommand): Promise<GitResult> =>
  new Promise((resolve, reject) => {
    const { args, cwd, input, signal, maxBytes = defaultMaxBytes } = command
    const options = {
      cwd,
      env: gitEnvironment(command),
      encoding: "buffer",
      maxBuffer: maxBytes,
      timeout: timeoutMs,
    } as const
    const child = execFile("git", [...hardened, ...args], options, (error, stdout, stderr) => {
      signal?.removeEventListener("abort", stop)
      const code = systemCode(error)
      if (code === "ENOENT") return reject(noGit())
      const isCut = code === "ERR_CHILD_PROCESS_STDIO_MAXBUFFER"
      const exit = error === null ? 0 : error.code
      if (!isCut && typeof exit !== "number")
        return reject(new Error(`git ${args[0] ?? ""} was stopped: ${error?.signal ?? code ?? "unknown reason"}`))
      resolve({ code: typeof exit === "number" ? exit : 1, stdout, stderr: stderr.toString("utf8"), isCut })
    })
    // Git removes its locks, and the promise is settled after its end: no attempt overlaps with the next one.
    const stop = (): void => void child.kill("SIGTERM")
    signal?.addEventListener("abort", stop, { once: true })
    // Git may end before it has read everything.
    child.stdin?.on("error", () => undefined)
    child.stdin?.end(input ?? "")
  })

/**
 * Runs git without hooks, filters, file system monitors, and the configuration of users and the machine. Rejects if git cannot be started, or did not end by
 * itself: nothing is known then, and another attempt may succeed. Rejects with the reason of the signal once git has ended.
 */
export const runGit = async (command: GitCommand): Promise<GitResult> => {
  const { signal } = command
  signal?.throwIfAborted()
  return await execute(command).finally(() => signal?.throwIfAborted())
}

/** Returns the first lines of what git reported. */
export const gitProblem = ({ stderr }: Pick<GitResult, "stderr">): string =>
  stderr
    .trim()
    .replaceAll(/^(?:fatal|error): /gm, "")
    .replaceAll(/\s*\n\s*/g, "; ")
    .slice(0, maxError) || "git reported no reason"

/**
 * Returns the output of an execution of git.
 * @throws AdjutantError `invalid_argument` that begins with `what` if git failed, WorktreeLimit if it lists more files than a worktree can have
 */
export const outputOf = (result: GitResult, what: string): Buffer => {
  if (result.isCut) throw new WorktreeLimit(`${what}: the output of git is too long`)
  if (result.code !== 0) throw new AdjutantError("invalid_argument", `${what}: ${gitProblem(result)}`)
  return result.stdout
}

/** Runs git and returns its output. @throws the errors of `outputOf` */
export const requireGit = async (command: GitCommand, what: string): Promise<Buffer> =>
  outputOf(await runGit(command), what)

/** Splits output that ends each entry with a NUL character. Paths are byte strings: they are read as Latin-1 and written back as such. */
export const nulEntries = (output: Buffer): readonly string[] =>
  output.length === 0 ? [] : output.toString("latin1").replace(/\0$/, "").split("\0")

/** Returns a path from `nulEntries` as text. */
export const gitPathText = (path: string): string => Buffer.from(path, "latin1").toString("utf8")
