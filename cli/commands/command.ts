import type { Command } from "commander"
import type { CommandContext, Hosts, Need } from "../host/hosts.ts"
import { withHost } from "../host/with-host.ts"
import { findTarget, type TargetFlags } from "../program/target-command.ts"
import type { ExitCode, ExitMeanings } from "../terminal/exit-code.ts"

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

/** Adds a command with its flags and its action. */
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
export type Action<Flags> = (context: CommandContext, call: CommandCall<Flags>) => Promise<ExitCode>

/** The action of a command with what it needs. */
export type OnHost<Name extends Need, Call> = (
  context: CommandContext,
  host: Hosts[Name],
  call: Call,
) => Promise<ExitCode>

type CommanderAction = (this: Command) => Promise<void>

/** Wraps an action for commander. `args` and `flags` are those that the command declares. */
export interface CommandRunner {
  <Flags extends object>(action: Action<Flags>): CommanderAction
  /** Opens what the action needs, and closes it in every case. */
  on<Name extends Need, Flags extends object>(need: Name, action: OnHost<Name, CommandCall<Flags>>): CommanderAction
  /** The same for a `targetCommand` that takes one task. */
  onTask<Name extends Need, Flags extends TargetFlags>(
    need: Name,
    action: OnHost<Name, TargetCall<Flags>>,
  ): CommanderAction
}

/** Runs the action of the command that was called. */
type Start = <Flags extends object>(command: Command, action: Action<Flags>) => Promise<void>

/** Creates the runner. The host checks that a named task exists before it starts a service or creates a file. */
export const createCommandRunner = (start: Start): CommandRunner => {
  const run = <Flags extends object>(action: Action<Flags>) =>
    function (this: Command) {
      return start(this, action)
    }
  return Object.assign(run, {
    on: <Name extends Need, Flags extends object>(need: Name, action: OnHost<Name, CommandCall<Flags>>) =>
      run<Flags>((context, call) =>
        withHost(context, need, (host) => action(context, host, call), { target: call.target }),
      ),
    onTask: <Name extends Need, Flags extends TargetFlags>(need: Name, action: OnHost<Name, TargetCall<Flags>>) =>
      run<Flags>((context, { args: [name = "", ...args], flags, target }) =>
        withHost(
          context,
          need,
          async (host) =>
            action(context, host, { sessionId: await findTarget(host.client, name, flags.parent), args, flags }),
          { target, mustExist: true },
        ),
      ),
  })
}
