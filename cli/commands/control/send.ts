import type { Command } from "commander"
import type { Sent } from "../../../sessions/messages/send-request.ts"
import { wrongUsage } from "../../wrong-usage.ts"
import { commandLineActor } from "../../actor.ts"
import { findTargets, targetCommand, type TargetFlags } from "../../target-command.ts"
import { orInterrupted } from "../../host/interrupts.ts"
import { withHost } from "../../host/with-host.ts"
import { printForEach } from "../../print-result.ts"
import type { CommandModule, CommandRunner } from "../../program/command.ts"
import { nonEmpty } from "../../program/option-parsers.ts"
import { readPrompt } from "../../run/read-prompt.ts"

interface SendFlags extends TargetFlags {
  readonly promptFile?: string
}

interface Sending {
  readonly task_id: string
  readonly session_id: string
  readonly run_id: string
  readonly state: Sent["state"]
}

const sendingText = ({ task_id, state }: Sending): string =>
  state === "applied"
    ? `Delivered to task ${task_id}.`
    : `Accepted for task ${task_id}; it is applied as soon as a worker takes it.`

/** Adds to a command that it hands a text over and returns; the worker that serves the store does the rest. */
const addSending = (command: Command, run: CommandRunner, type: "follow_up" | "steering"): Command =>
  command.action(
    run<SendFlags>(async (context, { args: [target = "", argument], flags }) => {
      const text = await orInterrupted(context.interrupts, readPrompt(context, argument, flags.promptFile))
      if (text === undefined)
        throw wrongUsage("The text is missing: give it as an argument, by --prompt-file, or as `-` on stdin.")
      return withHost(context, async ({ client, warn }) => {
        const ids = await findTargets(client, target, flags.parent)
        const items: Sending[] = []
        for (const id of ids) {
          const { state, runId } = await client.send({ sessionId: id, text, type, actor: commandLineActor() })
          items.push({ task_id: id, session_id: id, run_id: runId, state })
        }
        printForEach(context, { target, items }, sendingText)
        if (!(await client.hasWorker())) {
          warn(
            `no worker takes every task of this store; start \`adjutant worker\` or go on with \`adjutant resume ${ids[0] ?? "<id>"}\``,
          )
        }
        return 0
      })
    }),
  )

export const sendCommand: CommandModule = (program, run) => {
  const command = targetCommand(
    program,
    "send",
    "Sends a message to a task and returns: it answers an input pause, waits behind the current run, or starts the next one. To follow what comes of it, use `adjutant resume` or `adjutant wait`.",
  )
    .argument("[text]", "the message; `-` reads it from stdin")
    .option("--prompt-file <file>", "read the message from a file", nonEmpty)
  addSending(command, run, "follow_up")
}

export const steerCommand: CommandModule = (program, run) => {
  const command = targetCommand(
    program,
    "steer",
    "Redirects a running or paused task: calls not yet started are skipped, and the model goes on with this text.",
  )
    .argument("[text]", "what to do instead; `-` reads it from stdin")
    .option("--prompt-file <file>", "read the text from a file", nonEmpty)
  addSending(command, run, "steering")
}
