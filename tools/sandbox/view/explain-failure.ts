import { accessSync, constants, realpathSync, statSync } from "node:fs"
import { join } from "node:path"
import { sandboxTrouble } from "../../../domain/programs/sandbox-trouble.ts"
import { isInside } from "../../../domain/workspace/is-inside.ts"
import type { Sandbox, SandboxResult } from "../sandbox.ts"
import { systemDirectories } from "../system-paths.ts"

/** The command that failed. */
export interface FailedCommand {
  readonly cwd: string
  readonly path: string
  /** Hosts that a person let it reach. */
  readonly network: readonly string[] | undefined
  /** It belongs to a task in a sandbox of its own, which nobody can widen. */
  readonly isTask: boolean
}

/** Returns where a program is on the PATH of this machine; undefined if it is not there. */
const outsidePath = (program: string, path: string): string | undefined => {
  for (const folder of path.split(":").filter((each) => each.startsWith("/"))) {
    const file = join(folder, program)
    try {
      accessSync(file, constants.X_OK)
      if (statSync(file).isFile()) return realpathSync(file)
    } catch {
      // Not there.
    }
  }
  return undefined
}

const listed = (texts: readonly string[]): string => texts.map((text) => JSON.stringify(text)).join(", ")

const missingPrograms = (programs: readonly string[], sandbox: Sandbox, command: FailedCommand): readonly string[] =>
  programs.flatMap((program) => {
    const file = outsidePath(program, command.path)
    const shown = [
      ...systemDirectories,
      command.cwd,
      ...(sandbox.view?.readOnly ?? []),
      ...(sandbox.view?.writable ?? []),
    ]
    if (file === undefined || shown.some((each) => isInside(each, file))) return []
    const remedy = command.isTask
      ? ""
      : "; use what is visible, or repeat the command with unconfined: true and a reason"
    return [
      `The sandbox hides ${program}, which this machine has at ${file} (a person can show it with security.sandbox.read)${remedy}.`,
    ]
  })

const networkText = (
  hosts: readonly string[],
  { network }: Sandbox,
  { network: opened, isTask }: FailedCommand,
): readonly string[] => {
  const reached = isTask ? [] : [...(network?.hosts ?? []), ...(opened ?? [])]
  if (opened !== undefined && network?.limitsHosts !== true) return []
  const state = reached.length === 0 ? "has no network" : `reaches only ${reached.join(", ")}`
  if (isTask) return [`The sandbox ${state}.`]
  const wanted = hosts.length === 0 ? "[hosts]" : `[${listed(hosts)}]`
  return [`The sandbox ${state}: repeat the command with network: ${wanted} and a reason, and a person decides.`]
}

/** Returns what the sandbox has to do with the failure of a command, a sentence each; nothing if it has nothing. */
export const explainFailure = (
  { output }: Pick<SandboxResult, "output">,
  sandbox: Sandbox,
  command: FailedCommand,
): readonly string[] => {
  if (!sandbox.confined) return []
  const { programs, hosts, readOnly } = sandboxTrouble(output)
  const places = command.isTask
    ? "the scratch folder of the task"
    : ["the working directory and /tmp", ...(sandbox.view?.writable ?? [])].join(", ")
  return [
    ...missingPrograms(programs, sandbox, command),
    ...(hosts === undefined ? [] : networkText(hosts, sandbox, command)),
    ...(readOnly.length === 0
      ? []
      : [`The sandbox lets commands write only to ${places}; read-only: ${listed(readOnly)}.`]),
  ]
}
