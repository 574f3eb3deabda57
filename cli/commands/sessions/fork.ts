import { InvalidArgumentError } from "commander"
import { commandLineActor } from "../../actor.ts"
import type { CommandModule } from "../../program/command.ts"
import { nonEmpty } from "../../program/option-parsers.ts"
import { printOutcome, printResult, startedDocument } from "../../print-result.ts"
import { requireOtherWorker } from "../../host/require-other-worker.ts"
import { findTarget, targetCommand, type TargetFlags } from "../../target-command.ts"

interface ForkFlags extends TargetFlags {
  readonly atStep: number
}

const stepNumber = (value: string): number => {
  if (!/^\d{1,9}$/.test(value)) throw new InvalidArgumentError("It takes a whole number, 0 or more.")
  return Number(value)
}

export const forkCommand: CommandModule = (program, run) => {
  targetCommand(
    program,
    "fork",
    "Begins a new task with the first steps of another one, under at most its limits. With a message its first run starts, which needs a worker.",
  )
    .argument("[message]", "what the new task is to do", nonEmpty)
    .requiredOption("--at-step <n>", "how many steps to take over; 0: none, only the settings", stepNumber)
    .action(
      run.onHost<ForkFlags>(async (context, host, { args: [target = "", message], flags }) => {
        const { client } = host
        if (message !== undefined) await requireOtherWorker(host)
        const actor = commandLineActor()
        const sessionId = await findTarget(client, target, flags.parent)
        const forked = await client.fork({ sessionId, atStep: flags.atStep, actor })
        if (message === undefined) {
          printResult(context, forked, () => `Task ${forked.id}, from step ${flags.atStep} of ${sessionId}.`)
          return 0
        }
        const { runId } = await client.send({ sessionId: forked.id, text: message, type: "message", actor })
        printOutcome(context, startedDocument({ sessionId: forked.id, runId }))
        return 0
      }),
    )
}
