import { AdjutantError } from "../contracts/adjutant-error.ts"
import { commandLineActor } from "./actor.ts"
import type { CliContext } from "./cli-context.ts"
import type { ExitCode } from "./exit-code.ts"
import { orInterrupted } from "./or-interrupted.ts"
import { printResult } from "./print-result.ts"
import { readPrompt } from "./read-prompt.ts"
import { withHost } from "./with-host.ts"

export interface SendCall {
  readonly target: string
  readonly type: "follow_up" | "steering"
  readonly argument: string | undefined
  readonly promptFile: string | undefined
}

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
    const sessionId = await host.client.resolveTarget(call.target)
    const { state, runId } = await host.client.send({ sessionId, text, type: call.type, actor: commandLineActor() })
    const document = { task_id: sessionId, session_id: sessionId, run_id: runId, state }
    printResult(context, document, () =>
      state === "applied"
        ? `Delivered to task ${sessionId}.`
        : `Accepted for task ${sessionId}; it is applied as soon as a worker takes it.`,
    )
    if (!(await host.client.hasWorker())) {
      host.warn(
        `no worker takes every task of this store; start \`adjutant worker\` or go on with \`adjutant resume ${sessionId}\``,
      )
    }
    return 0
  })
}
