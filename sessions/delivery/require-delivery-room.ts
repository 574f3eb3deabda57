import { AdjutantError } from "../../contracts/adjutant-error.ts"
import type { SessionsContext } from "../sessions-context.ts"

const announces = ({ loaded }: SessionsContext): boolean =>
  loaded.config.webhooks.length > 0 ||
  Object.keys(loaded.config.notify).length > 0 ||
  Object.keys(loaded.config.channels).length > 0

/**
 * Checks the number of pending deliveries: logs a warning if there are many, and refuses new work if there are too many.
 * @throws AdjutantError `rate_limited`
 */
export const requireDeliveryRoom = async (context: SessionsContext): Promise<void> => {
  if (!announces(context)) return
  const { warnAbove, refuseAbove } = context.loaded.config.delivery
  const pending = await context.store.deliveries.countPending()
  if (pending > refuseAbove)
    throw new AdjutantError(
      "rate_limited",
      `${pending} deliveries are pending (delivery.refuseAbove is ${refuseAbove}): fix the receivers or dismiss the deliveries`,
      { reason: { about: "deliveries" } },
    )
  if (pending > warnAbove)
    context.logger.warn({ pending }, "many deliveries are pending: fix the receivers or dismiss the deliveries")
}
