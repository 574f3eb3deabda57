import { AdjutantError, isAdjutantError } from "../../../contracts/adjutant-error.ts"
import { didYouMean } from "../../../domain/text/suggest.ts"
import { sendSample } from "../../../sessions/notify/send-sample.ts"
import { printResult } from "../../text/print-result.ts"
import type { CommandModule } from "../command.ts"
import { loadHostConfig } from "../../program/load-host-config.ts"
import { nonEmpty } from "../../program/option-parsers.ts"

export const notifyCommand: CommandModule = (program, run) => {
  const notify = program.command("notify").description("Test the destinations of notify in the configuration")
  notify
    .command("test")
    .description("Send a sample to a destination of notify")
    .argument("<name>", "name of the destination", nonEmpty)
    .action(
      run(async (context, { args }) => {
        const [name = ""] = args
        const { config } = await loadHostConfig(context)
        const destination = Object.hasOwn(config.notify, name) ? config.notify[name] : undefined
        if (destination === undefined)
          throw new AdjutantError(
            "invalid_argument",
            `there is no ${name} in notify${didYouMean(name, Object.keys(config.notify))}`,
          )
        try {
          await sendSample({ name, destination }, context.env)
        } catch (error) {
          if (isAdjutantError(error)) throw error
          throw new AdjutantError("service_unavailable", `notify.${name}: its service could not be reached`)
        }
        printResult(context, { sent: name }, () => `A sample was sent to ${name}.`)
        return 0
      }),
    )
}
