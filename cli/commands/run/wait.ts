import type { CommandModule, TargetCall } from "../command.ts"
import { withResumeFlags } from "../../run/resume-flags.ts"
import { keepPauseManifest } from "../../run/keep-pause-manifest.ts"
import { exitCodeOfOutcome, exitCodeOfSignal } from "../../terminal/exit-code.ts"
import { isWatched, type WatchFlags } from "../../run/follow-options.ts"
import { followWithPerson } from "../../run/follow-with-person.ts"
import { nonNegativeNumber } from "../../program/option-parsers.ts"
import { printOutcome, startedDocument } from "../../text/print-result.ts"
import { targetCommand, type TargetFlags } from "../../program/target-command.ts"

interface WaitFlags extends TargetFlags, WatchFlags {
  readonly timeout?: number
}

export const waitCommand: CommandModule = (program, run) => {
  targetCommand(
    program,
    "wait",
    "Wait until a task and everything that runs below it ends or pauses. Interrupting the wait cancels nothing.",
  )
    .option(
      "--timeout <seconds>",
      "Stop waiting after this many seconds and exit with 1; the task continues (default: none)",
      nonNegativeNumber,
    )
    .option("--watch", "Show the progress on stderr (default: at a terminal)")
    .option("--quiet", "Show only what the run is doing now, not its progress")
    .action(
      run.onTask("tasks", async (context, host, { sessionId, flags }: TargetCall<WaitFlags>) => {
        const session = await host.client.info(sessionId)
        if ((await host.client.outcome(sessionId)) === undefined && !(await host.client.hasWorker())) {
          host.warn("no worker of this store is running; the task waits until one starts (`adjutant worker`)")
        }
        const { document, interruptedBy, isResting, shownAnswer, isLeft } = await followWithPerson(context, host, {
          sessionId,
          cwd: host.manifestDirectory(session.cwd),
          flags: {},
          afterEvent: 0,
          watch: isWatched(context, flags),
          onInterrupt: "leave",
          ...(flags.timeout === undefined ? {} : { timeoutSeconds: flags.timeout }),
        })
        const shown = withResumeFlags(host, document ?? startedDocument({ sessionId, runId: session.run_id ?? "" }))
        if (shown.outcome === "paused") await keepPauseManifest(host, host.manifestDirectory(session.cwd), shown)
        if (document === undefined && !isResting) host.warn(`task ${sessionId} is still running; nothing was cancelled`)
        if (document !== undefined || context.options.output !== "text")
          printOutcome(context, shown, { shownAnswer, isLeft })
        if (interruptedBy !== undefined) return exitCodeOfSignal(interruptedBy)
        return document === undefined ? 1 : exitCodeOfOutcome(document)
      }),
    )
}
