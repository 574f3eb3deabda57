import { commandLineActor } from "../../actor.ts"
import type { CommandModule } from "../../program/command.ts"
import { changeDeliveries } from "../../change-deliveries.ts"
import { nonEmpty } from "../../program/option-parsers.ts"

export const retryCommand: CommandModule = (program, run) => {
  program
    .command("retry")
    .description(
      "Tries a delivery again: one that waits at once, one that gave up or was dismissed from the beginning.",
    )
    .argument("<id>", "a delivery's id; all: every one that gave up", nonEmpty)
    .action(
      run((context, { args: [target = ""] }) =>
        changeDeliveries(context, target, {
          all: ["failed"],
          apply: (client, id) => client.deliveries.retry(id, commandLineActor()),
        }),
      ),
    )
}
