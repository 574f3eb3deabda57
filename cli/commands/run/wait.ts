import type { CommandModule } from "../../program/command.ts"
import { keepPauseManifest } from "../../run/keep-pause-manifest.ts"
import { exitCodeOfOutcome, exitCodeOfSignal } from "../../program/exit-code.ts"
import { followRun } from "../../run/follow-run.ts"
import { nonNegativeNumber } from "../../program/option-parsers.ts"
import { printOutcome, startedDocument } from "../../print-result.ts"
import { targetCommand, type TargetFlags } from "../../target-command.ts"

interface WaitFlags extends TargetFlags {
  readonly timeout?: number
  readonly watch?: boolean
}

export const waitCommand: CommandModule = (program, run) => {
  targetCommand(
    program,
    "wait",
    "Waits until a task, with all that can still move in its tree, is final or paused. Interrupting the wait cancels nothing.",
  )
    .option("--timeout <seconds>", "give up waiting after this time (exit 1; the task goes on)", nonNegativeNumber)
    .option("--watch", "show on stderr what happens")
    .action(
      run.onTarget<WaitFlags>(async (context, host, { sessionId, flags }) => {
        const session = await host.client.info(sessionId)
        if ((await host.client.outcome(sessionId)) === undefined && !(await host.client.hasWorker())) {
          host.warn(
            "no worker of this store is running that takes every task; the wait lasts until one starts (`adjutant worker`)",
          )
        }
        const { document, interruptedBy } = await followRun(context, host, {
          sessionId,
          afterEvent: 0,
          watch: flags.watch === true,
          onInterrupt: "leave",
          ...(flags.timeout === undefined ? {} : { timeoutSeconds: flags.timeout }),
        })
        if (document?.outcome === "paused") await keepPauseManifest(host, session.cwd, document)
        const shown = document ?? startedDocument({ sessionId, runId: session.run_id ?? "" })
        if (document === undefined) host.warn(`task ${sessionId} still runs; nothing was cancelled`)
        if (document !== undefined || context.options.output !== "text") printOutcome(context, shown)
        if (interruptedBy !== undefined) return exitCodeOfSignal(interruptedBy)
        return document === undefined ? 1 : exitCodeOfOutcome(document)
      }),
    )
}
