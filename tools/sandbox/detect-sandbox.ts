import { access, constants, mkdtemp, realpath, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { AdjutantError } from "../../contracts/adjutant-error.ts"
import type { SandboxMode } from "../../contracts/run-snapshot.ts"
import { createBubblewrap } from "./bubblewrap.ts"
import type { BubblewrapOptions } from "./bubblewrap.ts"
import { closedPaths } from "./masked-paths.ts"
import type { ProcessLimits } from "./run-process.ts"
import type { Sandbox } from "./sandbox.ts"
import { createUnconfined } from "./unconfined.ts"

export interface DetectOptions {
  /** Where to look for `bwrap`, absolute; default the places where systems install it. */
  readonly programs?: readonly string[]
  /** True: confined commands may use the network; default false. */
  readonly network?: boolean
  readonly readOnlyPaths?: readonly string[]
  readonly limits?: ProcessLimits
  /** How long the trial may take; default 10 s. */
  readonly trialTimeoutMs?: number
}

const usualPrograms = ["/usr/bin/bwrap", "/usr/local/bin/bwrap", "/bin/bwrap", "/run/current-system/sw/bin/bwrap"]
const answer = "confined"

const firstExecutable = async (paths: readonly string[]): Promise<string | undefined> => {
  for (const path of paths) {
    if (
      await access(path, constants.X_OK).then(
        () => true,
        () => false,
      )
    )
      return path
  }
  return undefined
}

/** Runs one trivial command; undefined when it worked, else what went wrong. */
const failureOf = async (sandbox: Sandbox, timeoutMs: number): Promise<string | undefined> => {
  const cwd = await realpath(await mkdtemp(join(tmpdir(), "adjutant-sandbox-")))
  try {
    const result = await sandbox.run({
      command: `echo ${answer}`,
      cwd,
      env: {},
      timeoutMs,
      signal: new AbortController().signal,
      outputFile: join(cwd, "output.txt"),
      maxOutputBytes: 2_000,
      ownerId: "sandbox-trial",
    })
    if (result.exitCode === 0 && result.output.trim() === answer) return undefined
    if (result.timedOut) return `the trial did not end within ${timeoutMs} ms`
    return result.output.trim().split("\n").at(-1) || `exit code ${result.exitCode ?? "unknown"}`
  } finally {
    await rm(cwd, { recursive: true, force: true })
  }
}

const tryBubblewrap = async (options: DetectOptions): Promise<Sandbox | string> => {
  if (process.platform !== "linux") return "bubblewrap needs Linux"
  const program = await firstExecutable(options.programs ?? usualPrograms)
  if (program === undefined) return "bubblewrap is not installed (the program bwrap, package bubblewrap)"
  const common: Omit<BubblewrapOptions, "userNamespace"> = {
    program,
    network: options.network ?? false,
    readOnlyPaths: options.readOnlyPaths ?? [],
    masked: await closedPaths("/etc"),
    limits: options.limits,
  }
  let failure = ""
  for (const userNamespace of [true, false]) {
    const sandbox = createBubblewrap({ ...common, userNamespace })
    const found = await failureOf(sandbox, options.trialTimeoutMs ?? 10_000)
    if (found === undefined) return sandbox
    failure ||= found
  }
  return `bubblewrap does not work here: ${failure}`
}

/**
 * The sandbox for a mode, after really trying it: `auto` falls back to none and says why, `off` is none.
 * @throws AdjutantError `sandbox_unavailable` in mode `require` where nothing confines
 */
export const detectSandbox = async (mode: SandboxMode, options: DetectOptions = {}): Promise<Sandbox> => {
  if (mode === "off") return createUnconfined("the sandbox is switched off by the configuration", options.limits)
  const found = await tryBubblewrap(options)
  if (typeof found !== "string") return found
  if (mode === "auto") return createUnconfined(found, options.limits)
  throw new AdjutantError(
    "sandbox_unavailable",
    `A sandbox is required, but ${found}; install it or set security.sandbox to auto.`,
  )
}
