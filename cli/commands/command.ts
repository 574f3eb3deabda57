import type { Command } from "commander"
import type { ProcessIo } from "../terminal/process-io.ts"
import type { CliContext, HostOptions } from "../program/cli-context.ts"
import type { ExitCode, ExitMeanings } from "../terminal/exit-code.ts"
import type { ReadingHost, ReadingOptions, StoreHost } from "../host/store-host.ts"
import type { SessionHost } from "../host/session-host.ts"
import type { TaskHost } from "../host/task-host.ts"
import type { TargetFlags } from "../program/target-command.ts"

/** What opening a host needs to know. */
export type HostContext = Omit<CliContext, "openHost" | "openTasks" | "openStore" | "openReading">

/** What a process provides to the command line. */
export interface CliEnvironment extends Omit<HostContext, "options" | "io"> {
  readonly io: ProcessIo
  openHost(context: HostContext, options: HostOptions): Promise<SessionHost>
  /** Opens the service of this machine. */
  openTasks(context: HostContext, options: HostOptions): Promise<TaskHost>
  openStore(context: HostContext, options: ReadingOptions): Promise<StoreHost>
}

/** Adds a command with its flags and its action. The action returns the exit code. */
export type CommandModule = (program: Command, run: CommandRunner) => void

export interface CommandCall<Flags> {
  readonly args: readonly string[]
  readonly flags: Flags
  /** The task that the command is about, if it names one: of children, their parent. */
  readonly target?: string
}

/** A call about one task: `args` are those after the target. */
export interface TargetCall<Flags> extends CommandCall<Flags> {
  readonly sessionId: string
}

/** The action of a command; returns the exit code. */
export type Action<Flags> = (context: CliContext, call: CommandCall<Flags>) => Promise<ExitCode>

export type OnHost<Call> = (context: CliContext, host: SessionHost, call: Call) => Promise<ExitCode>
export type OnStore<Call> = (context: CliContext, host: StoreHost, call: Call) => Promise<ExitCode>
export type OnReading<Call> = (context: CliContext, host: ReadingHost, call: Call) => Promise<ExitCode>
export type OnTasks<Call> = (context: CliContext, host: TaskHost, call: Call) => Promise<ExitCode>

type CommanderAction = (this: Command) => Promise<void>

/** Wraps an action for commander. `args` and `flags` are those that the command declares. */
export interface CommandRunner {
  <Flags extends object>(action: Action<Flags>): CommanderAction
  /** Opens the host for the action, and closes it in every case. */
  onHost<Flags extends object>(action: OnHost<CommandCall<Flags>>): CommanderAction
  /** The same for a host with options. */
  onHostOf<Flags extends object>(options: HostOptions, action: OnHost<CommandCall<Flags>>): CommanderAction
  /** The same for a `targetCommand` that takes one task. */
  onTarget<Flags extends TargetFlags>(action: OnHost<TargetCall<Flags>>): CommanderAction
  /** Opens what a command about tasks uses, which can be a server. */
  onTasks<Flags extends object>(action: OnTasks<CommandCall<Flags>>): CommanderAction
  /** The same for a `targetCommand` that takes one task. */
  onTask<Flags extends TargetFlags>(action: OnTasks<TargetCall<Flags>>): CommanderAction
  /** Opens the store of this machine for an action that only reads it: no Temporal is started. */
  readStore<Flags extends object>(action: OnStore<CommandCall<Flags>>): CommanderAction
  /** The same for a `targetCommand` that takes one task. */
  readTarget<Flags extends TargetFlags>(action: OnStore<TargetCall<Flags>>): CommanderAction
  /** The same for an action that also works with a server. */
  readTasks<Flags extends object>(action: OnReading<CommandCall<Flags>>): CommanderAction
  /** The same for a `targetCommand` that takes one task. */
  readTask<Flags extends TargetFlags>(action: OnReading<TargetCall<Flags>>): CommanderAction
}

/** An entry in the list of all commands. */
export interface CommandEntry {
  /** Heading in the list of commands, for this command and those after it. */
  readonly heading?: string
  readonly name: string
  readonly summary: string
  readonly exits?: ExitMeanings
  /** Whether the command works with `--server`. */
  readonly overHttp?: true
  /** Whether it ends tasks. Such a command is never suggested for a mistyped one. */
  readonly endsTasks?: true
  load(): Promise<CommandModule>
}
