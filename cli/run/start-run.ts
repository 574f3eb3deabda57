import { stat } from "node:fs/promises"
import path from "node:path"
import type { StartRequest } from "../../sessions/start/start-request.ts"
import { wrongUsage } from "../wrong-usage.ts"
import type { CliContext } from "../program/cli-context.ts"
import { concludeRun } from "./conclude-run.ts"
import { decisionsOf } from "./decision-flags.ts"
import type { ExitCode } from "../program/exit-code.ts"
import { orInterrupted } from "../host/interrupts.ts"
import { dropPauseManifest } from "./keep-pause-manifest.ts"
import { printOutcome, startedDocument } from "../print-result.ts"
import { readPrompt } from "./read-prompt.ts"
import { requireOtherWorker } from "../host/require-other-worker.ts"
import { limitsOf, type RunFlags } from "./run-flags.ts"
import type { SessionHost } from "../host/session-host.ts"
import { withHost } from "../host/with-host.ts"

/** Runs `adjutant run "prompt"`. Refuses what cannot be run before anything starts. */
export const startRun = async (
  context: CliContext,
  argument: string | undefined,
  flags: RunFlags,
): Promise<ExitCode> => {
  if (decisionsOf(flags) !== undefined)
    throw wrongUsage(
      "--approve and --reject require a pause: add -c <checkpoint_id>, or use `adjutant resume <task_id>`",
    )
  const prompt = await orInterrupted(context.interrupts, readPrompt(context, argument, flags.promptFile))
  if (prompt === undefined)
    throw wrongUsage(
      'the prompt is missing: pass it as adjutant run "<prompt>", with --prompt-file <file>, or as `-` on stdin',
    )
  const cwd = await workingDirectory(path.resolve(context.cwd, flags.cwd ?? "."), flags.cwd)
  const request = startRequest(prompt, cwd, flags)
  return withHost(
    context,
    (host) =>
      flags.detach === true ? startDetached(context, host, request) : startAndFollow(context, host, request, flags),
    { worker: flags.detach !== true },
  )
}

const workingDirectory = async (cwd: string, flag: string | undefined): Promise<string> => {
  const found = await stat(cwd).catch(() => undefined)
  if (found?.isDirectory() !== true) throw wrongUsage(`--cwd ${flag ?? cwd} is not a directory`)
  return cwd
}

const startRequest = (prompt: string, cwd: string, flags: RunFlags): StartRequest => ({
  ...limitsOf(flags),
  prompt,
  cwd,
  // Without the flag, nothing waits for a person: every allowed tool runs and a text reply completes the run.
  approval: flags.pauseOnApproval === true ? "policy" : "all",
  pauseOnText: flags.pauseOnApproval === true,
  ...(flags.agent === undefined ? {} : { agent: flags.agent }),
  ...(flags.sandbox === true ? { sandbox: true } : {}),
  ...(flags.title === undefined ? {} : { title: flags.title }),
  ...(flags.label === undefined ? {} : { label: flags.label }),
})

const startDetached = async (context: CliContext, host: SessionHost, request: StartRequest): Promise<ExitCode> => {
  await requireOtherWorker(host)
  const started = await host.client.start(request)
  await dropPauseManifest(host, request.cwd)
  printOutcome(context, startedDocument(started))
  return 0
}

const startAndFollow = async (
  context: CliContext,
  host: SessionHost,
  request: StartRequest,
  flags: RunFlags,
): Promise<ExitCode> => {
  const sessionId = await host.newSessionId()
  const worker = await orInterrupted(
    context.interrupts,
    host.startWorker({ rootId: sessionId, stopsImmediately: flags.detachOnSignal === true }),
  )
  const { hostQueue } = worker
  const started = await host.client.start({ ...request, sessionId, ...(hostQueue === undefined ? {} : { hostQueue }) })
  await dropPauseManifest(host, request.cwd)
  return concludeRun(context, host, {
    sessionId: started.sessionId,
    rootId: started.sessionId,
    runId: started.runId,
    afterEvent: 0,
    cwd: request.cwd,
    watch: flags.watch === true,
    workerFailed: worker.failed,
    onInterrupt: flags.detachOnSignal === true ? "leave" : "cancel",
  })
}
