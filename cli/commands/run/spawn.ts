import { AdjutantError } from "../../../contracts/adjutant-error.ts"
import { argumentProblem } from "../../../contracts/argument-problem.ts"
import { sessionsSpawnInputSchema } from "../../../contracts/delegation/sessions-input.ts"
import type { Thinking } from "../../../contracts/model-provider.ts"
import { commandLineActor } from "../../actor.ts"
import type { CommandModule } from "../../program/command.ts"
import { thinkingOption } from "../../program/thinking-option.ts"
import { nonEmpty } from "../../program/option-parsers.ts"
import { printOutcome, startedDocument } from "../../print-result.ts"
import { wrongUsage } from "../../wrong-usage.ts"

interface SpawnFlags {
  readonly model?: string
  readonly thinking?: Thinking
  readonly label?: string
}

export const spawnCommand: CommandModule = (program, run) => {
  program
    .command("spawn")
    .description("Start a sub-agent in the background and print its task id")
    .argument("<agent>", "the profile to run as; adjutant agents lists them", nonEmpty)
    .argument("<task>", "the instruction, with everything that the sub-agent must know", nonEmpty)
    .option(
      "--model <name>",
      "Use this model: a name in the configuration, or an id (default: that of the profile)",
      nonEmpty,
    )
    .addOption(thinkingOption())
    .option("--label <name>", "Set a name that other commands accept as target", nonEmpty)
    .action(
      run.onHost<SpawnFlags>(async (context, host, { args: [agent = "", task = ""], flags }) => {
        const { success, data: input, error } = sessionsSpawnInputSchema.safeParse({ ...flags, agentId: agent, task })
        if (!success) throw wrongUsage(argumentProblem(error))
        const sessionId = await host.newSessionId()
        await host.handOver(sessionId)
        const actor = commandLineActor()
        const outcome = await host.client.spawn({
          call: { tool: "sessions_spawn", input },
          caller: `cli:${actor.by}`,
          sessionId,
          isPerson: true,
          cwd: context.cwd,
          actor,
        })
        if (outcome.kind === "refused") throw new AdjutantError("forbidden", outcome.refusal.error)
        const { child } = outcome
        if (child.warning !== undefined) host.warn(child.warning)
        printOutcome(context, startedDocument(child))
        return 0
      }),
    )
}
