import { relative, resolve } from "node:path"
import type { CliContext } from "../../program/cli-context.ts"
import type { CommandModule, TargetCall } from "../command.ts"
import type { ExitCode } from "../../terminal/exit-code.ts"
import { nonEmpty, nonNegativeNumber, positiveInteger } from "../../program/option-parsers.ts"
import { printResult } from "../../text/print-result.ts"
import type { StoreHost } from "../../host/hosts.ts"
import { targetCommand, type TargetFlags } from "../../program/target-command.ts"
import { wrongUsage } from "../../program/wrong-usage.ts"
import { redactTexts } from "../../../domain/text/redact.ts"
import { replayDocument, replayText } from "../../replay/replay-document.ts"
import { writeNewFiles } from "../../replay/write-files.ts"

interface ReplayFlags extends TargetFlags {
  readonly fromStep?: number
  readonly model?: string
  readonly budgetUsd?: number
  readonly budgetTokens?: number
  readonly asTest?: string
}

const writeTest = async (
  context: CliContext,
  { store, loaded, redact }: StoreHost,
  { sessionId, folder }: { readonly sessionId: string; readonly folder: string },
): Promise<ExitCode> => {
  const { recordTest } = await import("../../../worker/replay/record-test.ts")
  const path = resolve(context.cwd, folder)
  const { projectRoot } = loaded
  const project = relative(path, projectRoot) || "."
  const files = await writeNewFiles(path, await recordTest(store, sessionId, { project, projectRoot, redact }))
  printResult(context, { task_id: sessionId, files }, () => `Wrote ${files.join(", ")}.`)
  return 0
}

const replay = async (
  context: CliContext,
  { store, loaded, redact }: StoreHost,
  { sessionId, flags }: { readonly sessionId: string; readonly flags: ReplayFlags },
): Promise<ExitCode> => {
  const { replaySession } = await import("../../../worker/replay/replay-session.ts")
  const { asTest: _asTest, parent: _parent, ...request } = flags
  const place = { store, loaded, env: context.env, signal: context.interrupts.signal }
  const document = redactTexts(replayDocument(await replaySession(place, { ...request, sessionId })), redact)
  printResult(context, document, () => replayText(document))
  return document.same ? 0 : 1
}

export const replayCommand: CommandModule = (program, run) => {
  targetCommand(
    program,
    "replay",
    "Make the model calls of a task again, with the recorded results of its tool calls, and show what differs. No tool is executed, and the task does not change.",
  )
    .option(
      "--from-step <n>",
      "Keep the steps before this one as they were recorded (default: the first step of the latest run)",
      positiveInteger(1_000_000),
    )
    .option(
      "--model <name>",
      "Use this model: a name in the configuration, or an id (default: the recorded one)",
      nonEmpty,
    )
    .option(
      "--budget-usd <amount>",
      "Stop the replay before it costs more US dollars than this (default: 5)",
      nonNegativeNumber,
    )
    .option(
      "--budget-tokens <n>",
      "Stop the replay before it uses more than this many tokens (default: none; 1000000 for a model without a price)",
      positiveInteger(Number.MAX_SAFE_INTEGER),
    )
    .option(
      "--as-test <folder>",
      "Write the recorded answers as a scripted conversation and a vitest case into this folder, and call no model",
      nonEmpty,
    )
    .action(
      run.onTask("store", async (context, host, { sessionId, flags }: TargetCall<ReplayFlags>) => {
        const { asTest, fromStep, model, budgetUsd, budgetTokens } = flags
        if (asTest === undefined) return await replay(context, host, { sessionId, flags })
        if ([fromStep, model, budgetUsd, budgetTokens].some((value) => value !== undefined))
          throw wrongUsage("--as-test calls no model: omit --from-step, --model and the budgets")
        return await writeTest(context, host, { sessionId, folder: asTest })
      }),
    )
}
