import type { Command } from "commander"
import { findTarget } from "../find-targets.ts"
import { withHost } from "../host/with-host.ts"
import type { TargetFlags } from "../target-command.ts"
import type { HostOptions } from "./cli-context.ts"
import type { Action, CommandCall, CommandRunner, OnHost, TargetCall } from "./command.ts"

/** Runs the action of a command that was called. */
type Start = <Flags extends object>(command: Command, action: Action<Flags>) => Promise<void>

export const createCommandRunner = (start: Start): CommandRunner => {
  const run = <Flags extends object>(action: Action<Flags>) =>
    function (this: Command) {
      return start(this, action)
    }
  const onHostOf = <Flags extends object>(options: HostOptions, action: OnHost<CommandCall<Flags>>) =>
    run<Flags>((context, call) => withHost(context, (host) => action(context, host, call), options))
  return Object.assign(run, {
    onHostOf,
    onHost: <Flags extends object>(action: OnHost<CommandCall<Flags>>) => onHostOf({}, action),
    onTarget: <Flags extends TargetFlags>(action: OnHost<TargetCall<Flags>>) =>
      onHostOf<Flags>({}, async (context, host, { args: [target = "", ...args], flags }) => {
        const sessionId = await findTarget(host.client, target, flags.parent)
        return await action(context, host, { sessionId, args, flags })
      }),
  })
}
