import type { z } from "zod"
import { AdjutantError } from "../../../contracts/adjutant-error.ts"
import { argumentProblem } from "../../../contracts/argument-problem.ts"
import { sessionsSpawnInputSchema } from "../../../contracts/delegation/sessions-input.ts"
import type { ChoiceFlagValues } from "../../../contracts/run/run-choices.ts"
import { commandLineActor } from "../../../service/command-line-actor.ts"
import type { CommandCall, CommandModule } from "../command.ts"
import { addChoiceFlags } from "../../program/choice-options.ts"
import { nonEmpty } from "../../program/option-parsers.ts"
import { printOutcome, startedDocument } from "../../text/print-result.ts"
import { withoutUndefined } from "../../../domain/without-undefined.ts"
import type { Started } from "../../../sessions/start-request.ts"
import type { SessionHost } from "../../host/hosts.ts"
import type { CliContext } from "../../program/cli-context.ts"
import { wrongUsage } from "../../program/wrong-usage.ts"

interface SpawnFlags extends ChoiceFlagValues {
  readonly parent?: string
  readonly model?: string
  readonly label?: string
}

type SpawnInput = z.infer<typeof sessionsSpawnInputSchema>

/** Starts a sub-agent of an existing task, which is told of its end like of those that its agent starts. */
const spawnBelow = async (
  { client, handOver }: Pick<SessionHost, "client" | "handOver">,
  parent: string,
  { agentId, task: text, model, thinking, label }: SpawnInput,
): Promise<Started> => {
  const { id: parentId, cwd, root_session_id: rootId } = await client.info(await client.resolveTarget(parent))
  await handOver(rootId)
  const actor = commandLineActor()
  const { id: sessionId } = await client.create({
    ...withoutUndefined({ agent: agentId, model, label }),
    parentId,
    cwd,
    actor,
  })
  const limits = withoutUndefined({ thinking })
  const { runId } = await client.send({ sessionId, text, type: "message", delivery: "signal", limits, actor })
  return { sessionId, runId }
}

/** Starts a sub-agent of the person at this terminal. */
const spawnForPerson = async ({ cwd }: CliContext, host: SessionHost, input: SpawnInput): Promise<Started> => {
  const sessionId = await host.newSessionId()
  await host.handOver(sessionId)
  const actor = commandLineActor()
  const call = { tool: "sessions_spawn" as const, input }
  const outcome = await host.client.spawn({ call, caller: `cli:${actor.by}`, sessionId, isPerson: true, cwd, actor })
  if (outcome.kind === "refused") throw new AdjutantError("forbidden", outcome.refusal.error)
  const { child } = outcome
  if (child.warning !== undefined) host.warn(child.warning)
  return child
}

export const spawnCommand: CommandModule = (program, run) => {
  const command = program
    .command("spawn")
    .description("Start a sub-agent in the background and print its task id")
    .argument("<agent>", "the profile to run as; adjutant agents lists them", nonEmpty)
    .argument("<task>", "the instruction, with everything that the sub-agent must know", nonEmpty)
    .option(
      "--model <name>",
      "Use this model: a name in the configuration, or an id (default: that of the profile)",
      nonEmpty,
    )
  addChoiceFlags(command, "sessions_spawn")
    .option("--parent <id>", "Start it below this task, which is told of its end", nonEmpty)
    .option("--label <name>", "Set a name that other commands accept as target", nonEmpty)
    .action(
      run.on("engine", async (context, host, { args: [agent = "", task = ""], flags }: CommandCall<SpawnFlags>) => {
        const { parent, ...options } = flags
        const { success, data: input, error } = sessionsSpawnInputSchema.safeParse({ ...options, agentId: agent, task })
        if (!success) throw wrongUsage(argumentProblem(error))
        const started =
          parent === undefined ? await spawnForPerson(context, host, input) : await spawnBelow(host, parent, input)
        printOutcome(context, startedDocument(started))
        return 0
      }),
    )
}
