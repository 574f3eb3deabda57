import { commandLineActor } from "../../actor.ts"
import type { CommandModule } from "../../program/command.ts"
import { changeDeliveries } from "../../change-deliveries.ts"
import { nonEmpty } from "../../program/option-parsers.ts"

export const dismissCommand: CommandModule = (program, run) => {
  program
    .command("dismiss")
    .description("Gives up a delivery for good. What it would have told is kept with its task.")
    .argument("<id>", "a delivery's id; all: every one that waits or gave up", nonEmpty)
    .action(
      run((context, { args: [target = ""] }) =>
        changeDeliveries(context, target, {
          all: ["pending", "failed"],
          apply: (client, id) => client.deliveries.dismiss(id, commandLineActor()),
        }),
      ),
    )
}
