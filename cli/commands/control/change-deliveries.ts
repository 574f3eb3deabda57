import type { AdjutantClient } from "../../../client/adjutant-client.ts"
import type { DeliveryStatus } from "../../../domain/delivery/delivery-policy.ts"
import type { DeliveryView } from "../../../sessions/delivery/delivery-view.ts"
import { commandLineActor } from "../../actor.ts"
import { printResult } from "../../print-result.ts"
import type { CommandModule, CommandRunner } from "../../program/command.ts"
import { nonEmpty } from "../../program/option-parsers.ts"

const mostAtOnce = 10_000

/** Returns an action that changes one delivery by its id, or with `all` every delivery in one of the states. */
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
    .description("Retry a delivery: a pending one at once, a failed or dismissed one with all its attempts")
    .argument("<id>", "the id of a delivery; all: every failed one", nonEmpty)
    .action(changing(run, ["failed"], (client, id) => client.deliveries.retry(id, commandLineActor())))
}

export const dismissCommand: CommandModule = (program, run) => {
  program
    .command("dismiss")
    .description("Stop the attempts of a delivery. Its content is kept with its task.")
    .argument("<id>", "the id of a delivery; all: every pending or failed one", nonEmpty)
    .action(changing(run, ["pending", "failed"], (client, id) => client.deliveries.dismiss(id, commandLineActor())))
}
