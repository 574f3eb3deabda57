import type { RunSnapshot } from "../../contracts/run-snapshot.ts"
import type { SandboxMode } from "../../contracts/approval/run-policy.ts"

const programPrefix = "binary:"

/** Returns the tool name that policy uses for the program of a `binary` profile. */
export const programName = (agent: string): string => `${programPrefix}${agent}`

/** Returns whether a call starts processes, so that it matters whether a sandbox confines it: Bash and the programs of `binary` profiles. */
export const startsProcesses = (name: string): boolean => name === "Bash" || name.startsWith(programPrefix)

/** What a command asks for beyond the sandbox in which it would run. */
export type SandboxWish =
  | { readonly kind: "unconfined" }
  | { readonly kind: "network"; readonly hosts: readonly string[] }

/** Returns what a call asks for beyond the sandbox: only Bash can, and a person decides on it. */
export const sandboxWishOf = (
  name: string,
  args: Readonly<Record<string, unknown>> | null | undefined,
): SandboxWish | undefined => {
  if (name !== "Bash" || args === null || args === undefined) return undefined
  if (args["unconfined"] === true) return { kind: "unconfined" }
  const { network } = args
  if (!Array.isArray(network)) return undefined
  return { kind: "network", hosts: network.filter((host): host is string => typeof host === "string") }
}

const sandboxOrder: Readonly<Record<SandboxMode, number>> = { off: 0, auto: 1, require: 2 }

/** Returns the mode that confines more. */
export const stricterSandbox = (left: SandboxMode, right: SandboxMode): SandboxMode =>
  sandboxOrder[left] < sandboxOrder[right] ? right : left

type SandboxSettings = Pick<RunSnapshot, "sandbox" | "sandboxed" | "taskSandbox" | "unconfined">

/** Returns whether a run's processes may run only inside a sandbox. */
export const mustBeConfined = ({ sandbox, sandboxed, taskSandbox }: SandboxSettings): boolean =>
  sandboxed || taskSandbox === true || sandbox === "require"

/**
 * Returns the sandbox mode for a call's processes. A program runs in a sandbox only if it must; Bash runs in one whenever one is available, unless the
 * call asks to leave it.
 */
export const sandboxModeOf = (name: string, run: SandboxSettings, wish?: SandboxWish): SandboxMode => {
  if (wish?.kind === "unconfined") return "off"
  if (name.startsWith(programPrefix)) return mustBeConfined(run) ? "auto" : "off"
  return run.sandbox === "require" ? "auto" : run.sandbox
}

/** Returns why a call's processes run outside a sandbox although one may be available; undefined if that is not so. */
export const unconfinedByRule = (name: string, run: SandboxSettings): string | undefined =>
  name.startsWith(programPrefix) && !mustBeConfined(run)
    ? "programs of profiles run outside the sandbox unless the session is sandboxed"
    : undefined

/** Whether a sandbox confines the processes of a call, and why not. */
export interface Confinement {
  readonly confined: boolean
  readonly reason?: string | undefined
  /** What the call would get beyond the sandbox because it asks for it: no sandbox, its hosts, or the whole network where hosts cannot be limited. */
  readonly opens?: "sandbox" | "hosts" | "network" | undefined
}

/** What counts of a call that starts processes. */
export interface ProcessFacts extends Confinement {
  /** `command`: Bash, which runs in a sandbox whenever one works. `program`: of a `binary` profile, which runs in one only if it must. */
  readonly kind: "command" | "program"
  readonly mustBeConfined: boolean
  /** A task with `enable_sandbox`: nothing that a confined process does leaves it. */
  readonly isTask: boolean
  /** A command may leave the sandbox, or reach its hosts, unasked: sandboxes are switched off, or the run was started with `--unconfined`. */
  readonly mayBeUnconfined: boolean
}

/** Returns what counts of the processes of a call; undefined if it starts none. */
export const processFacts = (
  name: string,
  run: SandboxSettings,
  { confined, reason, opens }: Confinement,
): ProcessFacts | undefined =>
  startsProcesses(name)
    ? {
        kind: name === "Bash" ? "command" : "program",
        mustBeConfined: mustBeConfined(run),
        isTask: run.taskSandbox === true,
        mayBeUnconfined: run.sandbox === "off" || run.unconfined === true,
        confined,
        reason,
        opens,
      }
    : undefined
