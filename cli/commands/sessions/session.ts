import { InvalidArgumentError } from "commander"
import { dayMs, parseDuration } from "../../../domain/text/duration.ts"
import { commandLineActor } from "../../actor.ts"
import type { CommandModule } from "../../program/command.ts"
import { printResult } from "../../print-result.ts"
import { bindingText } from "../../text/binding-text.ts"
import { targetCommand, type TargetFlags } from "../../target-command.ts"

const longestMs = 10 * 365 * dayMs

const duration = (text: string): string => {
  const ms = parseDuration(text)
  if (ms === undefined || ms > longestMs || (ms === 0 && text.trim().toLowerCase() !== "off"))
    throw new InvalidArgumentError("It takes a duration like 90m, 24h or 1h30m, or off.")
  return text
}

/** When the binding of a task to its thread ends by itself. */
export const sessionCommand: CommandModule = (program, run) => {
  const session = program.command("session").description("Sets when a task's binding to its thread ends by itself.")
  const limits = [
    ["idle", "idleMs", "Ends the binding when nothing was said in the thread for so long."],
    ["max-age", "maxAgeMs", "Ends the binding so long after it was made, whatever happens."],
  ] as const
  for (const [name, key, description] of limits)
    targetCommand(session, name, description)
      .argument("<duration>", "90m, 24h, 1h30m …, or off", duration)
      .action(
        run.onTarget<TargetFlags>(async (context, { client }, { sessionId, args: [text = ""] }) => {
          const ms = parseDuration(text) ?? 0
          const binding = await client.channels.setExpiry({ sessionId, [key]: ms }, commandLineActor())
          printResult(context, binding, () => bindingText(binding))
          return 0
        }),
      )
}
