import type { CommandModule, CommandRunner } from "../../program/command.ts"
import type { ServiceStatus } from "../../../contracts/service/service-status.ts"
import { findService, requestStop } from "../../../service/ask-service.ts"
import { waitToHold } from "../../../service/hold-service.ts"
import { loadHostConfig } from "../../program/load-host-config.ts"
import { printResult } from "../../print-result.ts"

interface StopFlags {
  readonly now?: boolean
}

/** Longer than a worker waits for calls in flight, and for its parts to close. */
const endTimeoutMs = 300_000

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
    .option("--now", "Stop without waiting for calls in flight; those that cannot be repeated end as outcome unknown")
    .action(
      run<StopFlags>(async (context, { flags }) => {
        const { dataDir } = await loadHostConfig(context, { isReading: true })
        const found = await findService(dataDir)
        if (found === undefined) {
          printResult(context, { state: "stopped", was_running: false }, () => "The service was not running.")
          return 0
        }
        await requestStop(found.socket, { now: flags.now === true })
        context.io.stderr.write("the service is stopping: calls in flight finish first\n")
        const hold = await waitToHold(dataDir, {
          signal: context.interrupts.signal,
          timeoutMs: endTimeoutMs,
          evenIfAnswering: true,
        })
        hold?.release({ clean: true })
        const { running, pending, paused } = found.status
        const document = {
          state: hold === undefined ? "stopping" : "stopped",
          was_running: true,
          running,
          pending,
          paused,
        }
        printResult(context, document, () =>
          hold === undefined ? "The service is still stopping." : `The service has stopped. ${restsText(found.status)}`,
        )
        return hold === undefined ? 1 : 0
      }),
    )
}
