import { Option } from "commander"
import type { DeliveryStatus } from "../../../domain/delivery/delivery-policy.ts"
import type { CommandModule } from "../../program/command.ts"
import { nonEmpty, positiveInteger } from "../../program/option-parsers.ts"
import { printResult } from "../../print-result.ts"
import { deliveryTable } from "../../text/delivery-text.ts"
import { withHost } from "../../host/with-host.ts"

interface DeliveriesFlags {
  readonly status?: DeliveryStatus
  readonly task?: string
  readonly limit?: number
}

const statuses: readonly DeliveryStatus[] = ["pending", "delivered", "failed", "dismissed"]

export const deliveriesCommand: CommandModule = (program, run) => {
  program
    .command("deliveries")
    .description("Lists what went out, or should, to webhooks and channels, newest first. Runs do not depend on it.")
    .addOption(new Option("--status <status>", "only these").choices(statuses))
    .option("--task <id>", "only of this task", nonEmpty)
    .option("--limit <n>", "at most this many (1 to 1000)", positiveInteger(1000))
    .action(
      run<DeliveriesFlags>((context, { flags }) =>
        withHost(context, async ({ client }) => {
          const { task, status, limit } = flags
          const page = await client.deliveries.list({
            ...(status === undefined ? {} : { status }),
            ...(limit === undefined ? {} : { limit }),
            ...(task === undefined ? {} : { sessionId: await client.resolveTarget(task) }),
          })
          printResult(context, page, () => (page.items.length === 0 ? "No deliveries." : deliveryTable(page.items)))
          return 0
        }),
      ),
    )
}
