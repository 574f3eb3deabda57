import { AdjutantError } from "../../contracts/adjutant-error.ts"
import type { SessionsContext } from "../sessions-context.ts"

const announces = ({ loaded }: SessionsContext): boolean =>
  loaded.config.webhooks.length > 0 || Object.keys(loaded.config.channels).length > 0

/**
 * Results that nobody receives pile up: many of them warn, too many refuse new work.
 * @throws AdjutantError `rate_limited`
 */
export const requireDeliveryRoom = async (context: SessionsContext): Promise<void> => {
  if (!announces(context)) return
  const { warnAbove, refuseAbove } = context.loaded.config.delivery
  const pending = await context.store.deliveries.countPending()
  if (pending > refuseAbove)
    throw new AdjutantError(
      "rate_limited",
      `${pending} announces wait for their receivers (delivery.refuseAbove is ${refuseAbove}): see \`adjutant deliveries\`, mend the receiver or dismiss them`,
    )
  if (pending > warnAbove)
    context.logger.warn({ pending }, "many announces wait for their receivers: see `adjutant deliveries`")
}
