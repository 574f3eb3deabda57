import type { Sent } from "../sessions/messages/send-request.ts"
import { AdjutantError } from "../contracts/adjutant-error.ts"
import { commandLineActor } from "./actor.ts"
import type { CliContext } from "./program/cli-context.ts"
import type { ExitCode } from "./program/exit-code.ts"
import { orInterrupted } from "./host/or-interrupted.ts"
import { findTargets } from "./find-targets.ts"
import { printForEach } from "./print-result.ts"
import { readPrompt } from "./run/read-prompt.ts"
import { withHost } from "./host/with-host.ts"

export interface SendCall {
  readonly target: string
  readonly parent: string | undefined
  readonly type: "follow_up" | "steering"
  readonly argument: string | undefined
  readonly promptFile: string | undefined
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

/** `send` and `steer`: hands a text over and returns; the worker that serves the store does the rest. */
export const sendText = async (context: CliContext, call: SendCall): Promise<ExitCode> => {
  const text = await orInterrupted(context.interrupts, readPrompt(context, call.argument, call.promptFile))
  if (text === undefined) {
    throw new AdjutantError(
      "invalid_argument",
      "The text is missing: give it as an argument, by --prompt-file, or as `-` on stdin.",
    )
  }
  return withHost(context, async (host) => {
    const ids = await findTargets(host.client, call.target, call.parent)
    const items: Sending[] = []
    for (const id of ids) {
      const { state, runId } = await host.client.send({
        sessionId: id,
        text,
        type: call.type,
        actor: commandLineActor(),
      })
      items.push({ task_id: id, session_id: id, run_id: runId, state })
    }
    printForEach(context, { target: call.target, items }, sendingText)
    if (!(await host.client.hasWorker())) {
      host.warn(
        `no worker takes every task of this store; start \`adjutant worker\` or go on with \`adjutant resume ${ids[0] ?? "<id>"}\``,
      )
    }
    return 0
  })
}
