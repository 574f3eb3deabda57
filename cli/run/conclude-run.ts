import type { CliContext } from "../program/cli-context.ts"
import { type ExitCode, exitCodeOfOutcome, exitCodeOfSignal } from "../program/exit-code.ts"
import { followWithPerson, type PersonOptions } from "./follow-with-person.ts"
import { withResumeFlags } from "./resume-flags.ts"
import { keepPauseManifest } from "./keep-pause-manifest.ts"
import { printOutcome, startedDocument } from "../print-result.ts"
import type { TaskHost } from "../host/task-host.ts"
import { errorMessage } from "../../domain/text/error-message.ts"
import { durationText } from "../../domain/text/figures.ts"
import { usedText } from "../text/outcome-text.ts"

export interface ConcludeOptions extends PersonOptions {
  /** Its open sessions get a signal when this process's worker stops. */
  readonly rootId: string
  readonly runId: string
}

/** Leaves a tree to the service because the terminal was closed. The command ends all the same: the next one starts the service. */
const handOver = async (host: TaskHost, rootId: string): Promise<void> => {
  try {
    await host.handOver(rootId)
  } catch (error) {
    host.warn(`the run waits for the next command: ${errorMessage(error)}`)
  }
}

/** Follows a run that this process hosts, releases its tree, prints the document and returns the exit code. */
export const concludeRun = async (context: CliContext, host: TaskHost, options: ConcludeOptions): Promise<ExitCode> => {
  const startedMs = performance.now()
  const { document: followed, interruptedBy, shownAnswer, isLeft } = await followWithPerson(context, host, options)
  const document = withResumeFlags(host, followed ?? startedDocument(options), options.flags)
  await host.announced(options.sessionId, document)
  if (interruptedBy === "SIGHUP" && document.outcome === "started") await handOver(host, options.rootId)
  if (document.outcome === "paused" || document.outcome === "started") await host.leaveTree(options.rootId)
  if (document.outcome === "paused") await keepPauseManifest(host, options.cwd, document)
  printOutcome(context, document, { shownAnswer, isSummarised: options.watch, isLeft })
  if (options.watch) context.io.stderr.write(`${durationText(performance.now() - startedMs)}${usedText(document)}\n`)
  return interruptedBy === undefined ? exitCodeOfOutcome(document) : exitCodeOfSignal(interruptedBy)
}
