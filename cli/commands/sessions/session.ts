import { type Command, InvalidArgumentError } from "commander"
import { dayMs, parseDuration } from "../../../domain/text/duration.ts"
import { commandLineActor } from "../../../service/command-line-actor.ts"
import type { CommandModule, CommandRunner } from "../command.ts"
import { printResult } from "../../text/print-result.ts"
import { bindingText, expiryText } from "../../text/binding-text.ts"
import { targetCommand } from "../../program/target-command.ts"

const longestMs = 10 * 365 * dayMs

const duration = (text: string): string => {
  const ms = parseDuration(text)
  if (ms === undefined || ms > longestMs || (ms === 0 && text.trim().toLowerCase() !== "off"))
    throw new InvalidArgumentError("use a duration such as 90m, 24h or 1h30m, or off")
  return text
}

/** Adds the commands that set when the binding of a task to its thread ends. */
export const sessionCommand: CommandModule = (program, run) => {
  const session = program.command("session").description("Show or set when the binding of a task to its thread ends")
  const limits = [
    ["idle", "idleMs", "End the binding after this long without a message in the thread"],
    ["max-age", "maxAgeMs", "End the binding this long after it was created"],
  ] as const
  for (const [name, key, description] of limits)
    targetCommand(session, name, description)
      .argument("[duration]", "a duration such as 90m, 24h or 1h30m, or off; without it, shows the value", duration)
      .action(function (this: Command) {
        return (this.args[1] === undefined ? showBinding(run) : setExpiry(run, key)).call(this)
      })
}

const showBinding = (run: CommandRunner) =>
  run.onTask("store", async (context, { client }, { sessionId }) => {
    const shown = await client.channels.bindingOf(sessionId)
    printResult(context, shown, () => `${bindingText(shown)} ${expiryText(shown)}`)
    return 0
  })

const setExpiry = (run: CommandRunner, key: "idleMs" | "maxAgeMs") =>
  run.onTask("engine", async (context, { client }, { sessionId, args: [text = ""] }) => {
    const ms = parseDuration(text) ?? 0
    const binding = await client.channels.setExpiry({ sessionId, [key]: ms }, commandLineActor())
    printResult(context, binding, () => bindingText(binding))
    return 0
  })
