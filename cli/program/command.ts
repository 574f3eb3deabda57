import type { Command } from "commander"
import type { CliContext, HostOptions } from "./cli-context.ts"
import type { ExitCode } from "./exit-code.ts"
import type { SessionHost } from "../host/session-host.ts"

/** What opening a host needs to know. */
export type HostContext = Omit<CliContext, "openHost">

/** What a process gives to the command line. */
export interface CliEnvironment extends Omit<CliContext, "options" | "openHost"> {
  openHost(context: HostContext, options: HostOptions): Promise<SessionHost>
}

/** Adds a command with its flags and its action; the action answers the exit code. */
export type CommandModule = (program: Command, run: CommandRunner) => void

/** Wraps an action for commander: `arguments` and flags are what the command declared. */
export type CommandRunner = <Flags extends object>(
  action: (context: CliContext, call: CommandCall<Flags>) => Promise<ExitCode>,
) => (this: Command) => Promise<void>

export interface CommandCall<Flags> {
  readonly args: readonly string[]
  readonly flags: Flags
}
