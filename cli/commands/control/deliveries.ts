import type { DeliveryView } from "../../../sessions/delivery/delivery-view.ts"
import { Option } from "commander"
import { type DeliveryStatus, deliveryStatuses } from "../../../domain/delivery/delivery-policy.ts"
import type { CommandCall, CommandModule } from "../command.ts"
import { nonEmpty, positiveInteger } from "../../program/option-parsers.ts"
import { printResult } from "../../text/print-result.ts"
import { oneLine, plainText } from "../../terminal/plain-text.ts"
import { table } from "../../text/table.ts"

/** Returns deliveries for people, one line each. */
const deliveryTable = (items: readonly DeliveryView[]): string =>
  table(
    ["ID", "STATUS", "TRIES", "EVENT", "TASK", "RECEIVER", "NEXT TRY", "LAST ERROR"],
    items.map((item) => [
      item.id,
      item.status,
      String(item.attempts),
      item.type,
      item.session_id,
      plainText(item.receiver),
      item.next_try_at ?? "",
      oneLine(item.last_error ?? "", 80),
    ]),
  )

interface DeliveriesFlags {
  readonly status?: DeliveryStatus
  readonly task?: string
  readonly limit?: number
}

export const deliveriesCommand: CommandModule = (program, run) => {
  program
    .command("deliveries")
    .description("List the deliveries to webhooks and channels, newest first")
    .addOption(new Option("--status <status>", "List only deliveries with this status").choices(deliveryStatuses))
    .option("--task <id>", "List only deliveries of this task", nonEmpty)
    .option("--limit <n>", "List at most this many, 1 to 1000 (default: 100)", positiveInteger(1000))
    .action(
      run.on("store", async (context, { client }, { flags }: CommandCall<DeliveriesFlags>) => {
        const { task, status, limit } = flags
        const page = await client.deliveries.list({
          ...(status === undefined ? {} : { status }),
          ...(limit === undefined ? {} : { limit }),
          ...(task === undefined ? {} : { sessionId: await client.resolveTarget(task) }),
        })
        printResult(context, page, () => (page.items.length === 0 ? "No deliveries." : deliveryTable(page.items)))
        return 0
      }),
    )
}
