import type { CommandModule, CommandRunner } from "../command.ts"
import type { ServiceStatus } from "../../../contracts/service/service-status.ts"
import { findService, requestStop } from "../../../service/ask-service.ts"
import { waitForEnd } from "../../../service/hold-service.ts"
import { loadHostConfig } from "../../program/load-host-config.ts"
import { printResult } from "../../text/print-result.ts"

interface StopFlags {
  readonly now?: boolean
}

const restsText = ({ running, pending, paused }: ServiceStatus): string => {
  const rests = [
    ...(running + pending > 0 ? [`${running + pending} running`] : []),
    ...(paused > 0 ? [`${paused} paused`] : []),
  ]
  return rests.length === 0 ? "No task is open." : `Tasks that wait for the next start: ${rests.join(", ")}.`
}

/** Adds the command that ends the service. */
export const addStop = (service: Parameters<CommandModule>[0], run: CommandRunner): void => {
  service
    .command("stop")
    .description(
      "Stop the service: calls in flight finish within timing.shutdownGraceMs. Tasks stay as they are, and continue with the next start.",
    )
    .option(
      "--now",
      "Stop without waiting for calls in flight; those that cannot be repeated end as outcome unknown. A program with a worker of its own waits for them all the same",
    )
    .action(
      run<StopFlags>(async (context, { flags }) => {
        const { dataDir } = await loadHostConfig(context, { isReading: true })
        const found = await findService(dataDir)
        if (found === undefined) {
          printResult(context, { state: "stopped", was_running: false }, () => "The service was not running.")
          return 0
        }
        await requestStop(found.socket, { now: flags.now === true, by: "person" })
        context.io.stderr.write(
          `the service is stopping${flags.now === true ? "" : ": calls in flight finish first"}\n`,
        )
        const hasEnded = await waitForEnd(dataDir, context.interrupts.signal)
        const { running, pending, paused } = found.status
        const document = {
          state: hasEnded ? "stopped" : "stopping",
          was_running: true,
          running,
          pending,
          paused,
        }
        printResult(context, document, () =>
          hasEnded ? `The service has stopped. ${restsText(found.status)}` : "The service is still stopping.",
        )
        return hasEnded ? 0 : 1
      }),
    )
}
