import { InvalidArgumentError } from "commander"
import { commandLineActor } from "../../../service/command-line-actor.ts"
import type { CommandCall, CommandModule } from "../command.ts"
import { nonEmpty } from "../../program/option-parsers.ts"
import { printOutcome, printResult, startedDocument } from "../../text/print-result.ts"
import { findTarget, targetCommand, type TargetFlags } from "../../program/target-command.ts"

interface ForkFlags extends TargetFlags {
  readonly atStep: number
}

const stepNumber = (value: string): number => {
  if (!/^\d{1,9}$/.test(value)) throw new InvalidArgumentError("use a whole number, 0 or more")
  return Number(value)
}

export const forkCommand: CommandModule = (program, run) => {
  targetCommand(
    program,
    "fork",
    "Start a new task from the first steps of another one, with its limits or narrower ones. With a message, its first run starts in the background.",
  )
    .argument("[message]", "the instruction for the new task", nonEmpty)
    .requiredOption("--at-step <n>", "Copy this many steps; 0: copy only the settings", stepNumber)
    .action(
      run.on("engine", async (context, host, { args: [target = "", message], flags }: CommandCall<ForkFlags>) => {
        const { client } = host
        const actor = commandLineActor()
        const sessionId = await findTarget(client, target, flags.parent)
        const forked = await client.fork({ sessionId, atStep: flags.atStep, actor })
        if (message === undefined) {
          printResult(
            context,
            forked,
            () => `Created task ${forked.id} from the first ${flags.atStep} steps of ${sessionId}.`,
          )
          return 0
        }
        await host.handOver(forked.id)
        const { runId } = await client.send({ sessionId: forked.id, text: message, type: "message", actor })
        printOutcome(context, startedDocument({ sessionId: forked.id, runId }))
        return 0
      }),
    )
}
