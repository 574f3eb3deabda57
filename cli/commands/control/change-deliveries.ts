import { isAdjutantError } from "../../../contracts/adjutant-error.ts"
import type { AdjutantClient } from "../../../client/adjutant-client.ts"
import type { DeliveryStatus } from "../../../domain/delivery/delivery-policy.ts"
import type { DeliveryView } from "../../../sessions/delivery/delivery-view.ts"
import { commandLineActor } from "../../actor.ts"
import { printResult } from "../../print-result.ts"
import type { CommandCall, CommandModule, OnHost } from "../../program/command.ts"
import { nonEmpty } from "../../program/option-parsers.ts"

const mostAtOnce = 10_000

type Change = (client: AdjutantClient, id: string) => Promise<DeliveryView>

/** Returns what changes one delivery by its id, or with `all` every delivery in one of the states. */
const changing =
  (all: readonly DeliveryStatus[], change: Change): OnHost<CommandCall<object>> =>
  async (context, { client }, { args: [target = ""] }) => {
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
  }

const retryDeliveries = changing(["failed"], (client, id) => client.deliveries.retry(id, commandLineActor()))

/** Retries a delivery or, if there is none with this id, the model call of a task. */
const retryEither: OnHost<CommandCall<object>> = async (context, host, call) => {
  try {
    return await retryDeliveries(context, host, call)
  } catch (error) {
    if (!isAdjutantError(error) || error.code !== "delivery_not_found") throw error
    const { client } = host
    const sessionId = await client.resolveTarget(call.args[0] ?? "").catch(() => undefined)
    if (sessionId === undefined) throw error
    const { status } = await client.retry(sessionId, commandLineActor())
    printResult(context, { session_id: sessionId, status }, () => `${sessionId}: the model is called now.`)
    return 0
  }
}

export const retryCommand: CommandModule = (program, run) => {
  program
    .command("retry")
    .description(
      "Retry a delivery (a pending one at once, a failed or dismissed one with all its attempts), or the model call of a task that waits for its provider",
    )
    .argument("<id>", "the id of a delivery, or a task; all: every failed delivery", nonEmpty)
    .action(run.onHost(retryEither))
}

export const dismissCommand: CommandModule = (program, run) => {
  program
    .command("dismiss")
    .description("Stop the attempts of a delivery. Its content is kept with its task.")
    .argument("<id>", "the id of a delivery; all: every pending or failed one", nonEmpty)
    .action(
      run.onHost(changing(["pending", "failed"], (client, id) => client.deliveries.dismiss(id, commandLineActor()))),
    )
}
