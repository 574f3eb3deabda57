import type { Command } from "commander"
import type { TaskClient } from "../../../client/task-client.ts"
import type { ToolAnswer } from "../../../domain/delegation/tool-answer.ts"
import { sendToSubAgent } from "../../../sessions/delegation-tools/manage.ts"
import { replyNow, sentMessage, type SubAgents } from "../../../sessions/delegation-tools/sub-agents.ts"
import { wrongUsage } from "../../program/wrong-usage.ts"
import { commandLineActor } from "../../../service/command-line-actor.ts"
import { findTargets, targetCommand, type TargetFlags } from "../../program/target-command.ts"
import { orInterrupted } from "../../terminal/interrupts.ts"
import { withHost } from "../../host/with-host.ts"
import type { TaskHost } from "../../host/hosts.ts"
import { printAnswers } from "../../text/print-result.ts"
import type { CommandModule, CommandRunner } from "../command.ts"
import { placeFlags } from "../../program/place-flags.ts"
import type { ExitCode } from "../../terminal/exit-code.ts"
import { nonEmpty } from "../../program/option-parsers.ts"
import { readPrompt } from "../../run/input/read-prompt.ts"

interface SendFlags extends TargetFlags {
  readonly promptFile?: string
}

/** What the delegation tools need to send a message for a person at a terminal. */
const sending = (
  client: Pick<TaskClient, "send">,
  place: readonly string[],
): Pick<SubAgents<never>, "surface" | "send"> => ({
  surface: { kind: "cli", place },
  send: async (message) => {
    const { id, text, type } = message
    return replyNow(sentMessage(message, await client.send({ sessionId: id, text, type, actor: commandLineActor() })))
  },
})

/** Adds the action that sends a text and returns; a worker of the store does the rest. */
const addSending = (command: Command, run: CommandRunner, type: "follow_up" | "steering"): Command =>
  command.action(
    run<SendFlags>(async (context, { args: [target = "", argument], flags }) => {
      const text = await orInterrupted(context.interrupts, readPrompt(context, argument, flags.promptFile))
      if (text === undefined)
        throw wrongUsage("the text is missing: pass it as an argument, with --prompt-file, or as `-` on stdin")
      const sendAll = async ({ client, warn }: TaskHost): Promise<ExitCode> => {
        const ids = await findTargets(client, target, flags.parent)
        const answers: [string, ToolAnswer][] = []
        for (const id of ids) {
          const reply = await sendToSubAgent(sending(client, placeFlags(context)), { id, text, type })
          if (reply.kind === "now") answers.push([id, reply.value])
        }
        printAnswers(context, target, answers)
        if (!(await client.hasWorker())) {
          warn(
            `no worker of this store is running; start \`adjutant worker\`, or run \`adjutant resume ${ids[0] ?? "<id>"}\``,
          )
        }
        return 0
      }
      return withHost(context, "tasks", sendAll, { target: flags.parent ?? target })
    }),
  )

export const sendCommand: CommandModule = (program, run) => {
  const command = targetCommand(
    program,
    "send",
    "Send a message to a task and return. It answers an input pause, is queued behind the current run, or starts the next one. To follow the result, use `adjutant resume` or `adjutant wait`.",
  )
    .argument("[text]", "the message; `-` reads it from stdin")
    .option("--prompt-file <file>", "Read the message from a file (at most 1 MB)", nonEmpty)
  addSending(command, run, "follow_up")
}

export const steerCommand: CommandModule = (program, run) => {
  const command = targetCommand(
    program,
    "steer",
    "Redirect a running or paused task: calls that have not started are skipped, and the model continues with this text",
  )
    .argument("[text]", "what to do instead; `-` reads it from stdin")
    .option("--prompt-file <file>", "Read the text from a file (at most 1 MB)", nonEmpty)
  addSending(command, run, "steering")
}
