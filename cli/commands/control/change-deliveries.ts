import { AdjutantError, isAdjutantError } from "../../../contracts/adjutant-error.ts"
import type { TaskClient } from "../../../client/task-client.ts"
import { unknownDelivery } from "../../../domain/caller/missing-targets.ts"
import type { DeliveryStatus } from "../../../domain/delivery/delivery-policy.ts"
import type { DeliveryView } from "../../../sessions/delivery/delivery-view.ts"
import { commandLineActor } from "../../../service/command-line-actor.ts"
import { printResult } from "../../text/print-result.ts"
import { withHost } from "../../host/with-host.ts"
import type { HostOptions, SessionHost, StoreHost } from "../../host/hosts.ts"
import type { CliContext } from "../../program/cli-context.ts"
import type { CommandCall, CommandModule, OnHost } from "../command.ts"
import { wrongUsage } from "../../program/wrong-usage.ts"
import { nonEmpty } from "../../program/option-parsers.ts"

const mostAtOnce = 10_000

type Change = (host: Pick<SessionHost, "client" | "handOver">, id: string) => Promise<DeliveryView>

/** Returns what changes one delivery by its id, or with `all` every delivery in one of the states. */
const changing =
  (all: readonly DeliveryStatus[], change: Change): OnHost<"engine", CommandCall<object>> =>
  async (context, host, { args: [target = ""] }) => {
    const ids: string[] = []
    if (target === "all")
      for (const status of all)
        ids.push(...(await host.client.deliveries.list({ status, limit: mostAtOnce })).items.map(({ id }) => id))
    else ids.push(target)
    const items: DeliveryView[] = []
    for (const id of ids) items.push(await change(host, id))
    printResult(context, { items }, () =>
      items.length === 0 ? "No deliveries." : items.map(({ id, status }) => `${id}: ${status}.`).join("\n"),
    )
    return 0
  }

const retryDeliveries = changing(["failed"], async ({ client, handOver }, id) => {
  const delivery = await client.deliveries.retry(id, commandLineActor())
  if (delivery.status === "pending") await handOver(null)
  return delivery
})

const dismissDeliveries = changing(["pending", "failed"], ({ client }, id) =>
  client.deliveries.dismiss(id, commandLineActor()),
)

/** Refuses an id that no delivery has, with `all` as the id of all. */
const requiringDelivery = (
  { args: [id = ""] }: CommandCall<object>,
  elsewhere: (host: StoreHost, id: string) => Promise<unknown> = () => Promise.reject(unknownDelivery(id)),
): HostOptions => ({
  requires: async (host) => {
    if (id !== "all" && (await host.store.deliveries.get(id)) === undefined) await elsewhere(host, id)
  },
})

const requireTask = async ({ client }: StoreHost, id: string): Promise<void> => {
  await client.inspectTarget(id).catch((error: unknown) => {
    if (!isAdjutantError(error) || error.code !== "session_not_found") throw error
    const { code, reason } = error
    throw new AdjutantError(code, `there is no delivery and no session ${id.slice(0, 100)}`, { cause: error, reason })
  })
}

/** Lets a task that waits for its provider call the model now. */
const retryTask = async (context: CliContext, client: TaskClient, sessionId: string): Promise<0> => {
  const { status } = await client.retry(sessionId, commandLineActor())
  printResult(context, { session_id: sessionId, status }, () => `${sessionId}: the model is called now.`)
  return 0
}

/** Retries a delivery or, if there is none with this id, the model call of a task. */
const retryEither: OnHost<"engine", CommandCall<object>> = async (context, host, call) => {
  try {
    return await retryDeliveries(context, host, call)
  } catch (error) {
    if (!isAdjutantError(error) || error.code !== "delivery_not_found") throw error
    const sessionId = await host.client.resolveTarget(call.args[0] ?? "").catch((problem: unknown) => {
      throw isAdjutantError(problem) && problem.code === "target_ambiguous" ? problem : error
    })
    // The call is made with the keys of this command.
    await host.handOver((await host.client.info(sessionId)).root_session_id)
    return await retryTask(context, host.client, sessionId)
  }
}

/** Retries the model call of a task of a server, whose deliveries are retried on its own machine. */
const retryOnServer: OnHost<"tasks", CommandCall<object>> = async (context, { client }, { args: [target = ""] }) => {
  if (target === "all") throw wrongUsage("deliveries are retried on the server's machine: omit --server")
  return await retryTask(context, client, (await client.inspectTarget(target)).session_id)
}

export const retryCommand: CommandModule = (program, run) => {
  program
    .command("retry")
    .description(
      "Retry a delivery (a pending one at once, a failed or dismissed one with all its attempts), or the model call of a task that waits for its provider, or for a key that this command brings",
    )
    .argument(
      "<id>",
      "id of a delivery, or id or label of a task; all: every failed delivery; with --server: only a task",
      nonEmpty,
    )
    .action(
      run<object>((context, call) =>
        context.options.server === undefined
          ? withHost(
              context,
              "engine",
              (host) => retryEither(context, host, call),
              requiringDelivery(call, requireTask),
            )
          : withHost(context, "tasks", (host) => retryOnServer(context, host, call)),
      ),
    )
}

export const dismissCommand: CommandModule = (program, run) => {
  program
    .command("dismiss")
    .description("Stop trying to send a delivery. Its content is kept with its task.")
    .argument("<id>", "the id of a delivery; all: every pending or failed one", nonEmpty)
    .action(
      run<object>((context, call) =>
        withHost(context, "engine", (host) => dismissDeliveries(context, host, call), requiringDelivery(call)),
      ),
    )
}
