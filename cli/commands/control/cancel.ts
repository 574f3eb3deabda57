import { cancelSession } from "../../run/cancel-session.ts"
import { findTargets, targetCommand, type TargetFlags } from "../../program/target-command.ts"
import { printAnswers, printResult } from "../../text/print-result.ts"
import type { CommandCall, CommandModule } from "../command.ts"
import { cancelledAnswer, killedAnswer, type Stopped } from "../../../domain/delegation/answers/stopped-answer.ts"
import type { TaskHost } from "../../host/hosts.ts"
import type { CliContext } from "../../program/cli-context.ts"

/** Cancels tasks one after another. */
const cancelEach = async (context: CliContext, host: TaskHost, ids: readonly string[]): Promise<readonly Stopped[]> => {
  const stopped: Stopped[] = []
  for (const id of ids) stopped.push(await cancelSession(host, context, id))
  return stopped
}

export const cancelCommand: CommandModule = (program, run) => {
  targetCommand(
    program,
    "cancel",
    "Cancel a task and all its children, and print the final status. A task that has ended does not change.",
  ).action(
    run.on("tasks", async (context, host, { args: [target = ""], flags }: CommandCall<TargetFlags>) => {
      const stopped = await cancelEach(context, host, await findTargets(host.client, target, flags.parent))
      printAnswers(
        context,
        target,
        stopped.map((each) => [each.id, cancelledAnswer(each)]),
      )
      return 0
    }),
  )
}

export const killCommand: CommandModule = (program, run) => {
  targetCommand(
    program,
    "kill",
    "Cancel a task and everything below it, or children of a task. A task that has ended does not change.",
  ).action(
    run.on("tasks", async (context, host, { args: [target = ""], flags }: CommandCall<TargetFlags>) => {
      const stopped = await cancelEach(context, host, await findTargets(host.client, target, flags.parent))
      const items = stopped.map(({ id, status }) => ({ task_id: id, status }))
      printResult(context, { items }, () => killedAnswer(stopped).text)
      return 0
    }),
  )
}
