import type { AdjutantClient } from "../client/adjutant-client.ts"
import type { DeliveryView } from "../sessions/delivery/delivery-view.ts"
import type { DeliveryStatus } from "../domain/delivery/delivery-policy.ts"
import type { CliContext } from "./program/cli-context.ts"
import type { ExitCode } from "./program/exit-code.ts"
import { printResult } from "./print-result.ts"
import { withHost } from "./host/with-host.ts"

const mostAtOnce = 10_000

/** One delivery by its id, or with `all` every one in a state that the change is for. */
export const changeDeliveries = (
  context: CliContext,
  target: string,
  change: {
    readonly all: readonly DeliveryStatus[]
    readonly apply: (client: AdjutantClient, id: string) => Promise<DeliveryView>
  },
): Promise<ExitCode> =>
  withHost(context, async ({ client }) => {
    const ids: string[] = []
    if (target === "all")
      for (const status of change.all)
        ids.push(...(await client.deliveries.list({ status, limit: mostAtOnce })).items.map(({ id }) => id))
    else ids.push(target)
    const items: DeliveryView[] = []
    for (const id of ids) items.push(await change.apply(client, id))
    printResult(context, { items }, () =>
      items.length === 0 ? "No deliveries." : items.map(({ id, status }) => `${id}: ${status}.`).join("\n"),
    )
    return 0
  })
