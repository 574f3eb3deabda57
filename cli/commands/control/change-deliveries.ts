import type { AdjutantClient } from "../../../client/adjutant-client.ts"
import type { DeliveryStatus } from "../../../domain/delivery/delivery-policy.ts"
import type { DeliveryView } from "../../../sessions/delivery/delivery-view.ts"
import { commandLineActor } from "../../actor.ts"
import { printResult } from "../../print-result.ts"
import type { CommandModule, CommandRunner } from "../../program/command.ts"
import { nonEmpty } from "../../program/option-parsers.ts"

const mostAtOnce = 10_000

/** Changes one delivery by its id, or with `all` every one in a state that the change is for. */
const changing = (
  run: CommandRunner,
  all: readonly DeliveryStatus[],
  change: (client: AdjutantClient, id: string) => Promise<DeliveryView>,
) =>
  run.onHost(async (context, { client }, { args: [target = ""] }) => {
    const ids: string[] = []
    if (target === "all")
      for (const status of all)
        ids.push(...(await client.deliveries.list({ status, limit: mostAtOnce })).items.map(({ id }) => id))
    else ids.push(target)
    const items: DeliveryView[] = []
    for (const id of ids) items.push(await change(client, id))
    printResult(context, { items }, () =>
      items.length === 0 ? "No deliveries." : items.map(({ id, status }) => `${id}: ${status}.`).join("\n"),
    )
    return 0
  })

export const retryCommand: CommandModule = (program, run) => {
  program
    .command("retry")
    .description(
      "Tries a delivery again: one that waits at once, one that gave up or was dismissed from the beginning.",
    )
    .argument("<id>", "a delivery's id; all: every one that gave up", nonEmpty)
    .action(changing(run, ["failed"], (client, id) => client.deliveries.retry(id, commandLineActor())))
}

export const dismissCommand: CommandModule = (program, run) => {
  program
    .command("dismiss")
    .description("Gives up a delivery for good. What it would have told is kept with its task.")
    .argument("<id>", "a delivery's id; all: every one that waits or gave up", nonEmpty)
    .action(changing(run, ["pending", "failed"], (client, id) => client.deliveries.dismiss(id, commandLineActor())))
}
