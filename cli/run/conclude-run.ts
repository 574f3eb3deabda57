import { appendFile } from "node:fs/promises"
import type { OutcomeDocument } from "../../contracts/session/outcome-document.ts"
import { githubAnnotations, githubSummary } from "../../domain/notify/github-report.ts"
import { errorMessage } from "../../domain/text/error-message.ts"
import type { CliContext } from "../program/cli-context.ts"
import { type ExitCode, exitCodeOfOutcome, exitCodeOfSignal } from "../terminal/exit-code.ts"
import { followWithPerson, type PersonOptions } from "./follow-with-person.ts"
import { withResumeFlags } from "./resume-flags.ts"
import { keepPauseManifest } from "./keep-pause-manifest.ts"
import { printOutcome, startedDocument } from "../text/print-result.ts"
import type { TaskHost } from "../host/hosts.ts"
import { durationText } from "../../domain/text/figures.ts"
import { usedText } from "../text/outcome-text.ts"

export interface ConcludeOptions extends PersonOptions {
  readonly runId: string
}

/** Adds the outcome to the summary of a step of GitHub Actions, and prints annotations where no document is expected. */
const reportToGithub = async ({ env, io }: CliContext, document: OutcomeDocument): Promise<void> => {
  if (env["GITHUB_ACTIONS"] !== "true" || document.outcome === "started") return
  for (const line of githubAnnotations(document)) io.stderr.write(`${line}\n`)
  const file = env["GITHUB_STEP_SUMMARY"] ?? ""
  if (file === "") return
  try {
    await appendFile(file, `${githubSummary(document)}\n`)
  } catch (error) {
    io.stderr.write(`warning: the summary of the step could not be written: ${errorMessage(error)}\n`)
  }
}

/** Follows a run, prints the document and returns the exit code. */
export const concludeRun = async (context: CliContext, host: TaskHost, options: ConcludeOptions): Promise<ExitCode> => {
  const startedMs = performance.now()
  const {
    document: followed,
    interruptedBy,
    isResting,
    shownAnswer,
    isLeft,
  } = await followWithPerson(context, host, options)
  const document = withResumeFlags(host, followed ?? startedDocument(options), options.flags)
  if (document.outcome === "paused") await keepPauseManifest(host, options.cwd, document)
  printOutcome(context, document, { shownAnswer, isSummarised: options.watch, isLeft })
  await reportToGithub(context, document)
  if (options.watch) context.io.stderr.write(`${durationText(performance.now() - startedMs)}${usedText(document)}\n`)
  if (isResting) return 1
  return interruptedBy === undefined ? exitCodeOfOutcome(document) : exitCodeOfSignal(interruptedBy)
}
