import { commandLineActor } from "../../../service/command-line-actor.ts"
import type { CommandModule } from "../command.ts"
import { printResult } from "../../text/print-result.ts"
import { engineReportText, moveText } from "../../text/engine-text.ts"
import { withHost } from "../../host/with-host.ts"

interface MoveFlags {
  readonly accept?: boolean
}

/** Adds the commands that show to which Temporal the store belongs, and move it. */
export const engineCommand: CommandModule = (program, run) => {
  const engine = program
    .command("engine")
    .description("Show which Temporal this store belongs to, and which one answers. Changes nothing.")
    .action(
      run((context) =>
        withHost(
          context,
          "engine",
          async ({ client }) => {
            const report = await client.engine.show()
            printResult(context, report, () => engineReportText(report))
            return report.is_same || report.belongs_to === null ? 0 : 1
          },
          { acceptsEngine: "other" },
        ),
      ),
    )
  engine
    .command("move")
    .description(
      "Move this store to the Temporal that TEMPORAL_ADDRESS and TEMPORAL_NAMESPACE name, or else to the embedded one. Without --accept, only show what would happen.",
    )
    .option("--accept", "Move the store")
    .action(
      run<MoveFlags>((context, { flags }) =>
        withHost(
          context,
          "engine",
          async ({ client }) => {
            const isAccepted = flags.accept === true
            const report = isAccepted ? await client.engine.move(commandLineActor()) : await client.engine.show()
            printResult(context, report, () =>
              isAccepted || report.is_same ? engineReportText(report) : moveText(report),
            )
            return 0
          },
          { acceptsEngine: flags.accept === true ? "new" : "other" },
        ),
      ),
    )
}
