import type { ModelSpec, RunSnapshot } from "../../../contracts/run-snapshot.ts"
import { isVendorServer } from "./vendor-server.ts"

/** What Anthropic charges for a write that lasts an hour, compared with input that is not cached. */
const hourWriteFactor = 2

/** Returns a model whose prompts stay in the provider's cache for an hour: its writes have a price of their own. */
export const withHourCache = (spec: ModelSpec): ModelSpec => {
  const { price } = spec
  if (price === null) return { ...spec, cacheMinutes: 60 }
  const cacheWritePerMTok = spec.hourCacheWritePerMTok ?? price.inputPerMTok * hourWriteFactor
  const { longPrompt } = price
  const long = longPrompt && { ...longPrompt, cacheWritePerMTok: longPrompt.inputPerMTok * hourWriteFactor }
  return {
    ...spec,
    cacheMinutes: 60,
    price: { ...price, cacheWritePerMTok, ...(long === undefined ? {} : { longPrompt: long }) },
  }
}

/**
 * Returns a model as a run uses it. People take longer than five minutes: in a run that waits for them, Anthropic keeps prompts for an hour, unless the
 * configuration says how long. Gateways may not know that time.
 */
export const withRunCache = (spec: ModelSpec, { pauseOnText }: Pick<RunSnapshot, "pauseOnText">): ModelSpec => {
  const isOwn = spec.baseUrl === undefined || isVendorServer(spec.baseUrl, "anthropic.com")
  const isChosen = pauseOnText && spec.provider === "anthropic" && spec.cacheMinutes === undefined && isOwn
  return isChosen ? withHourCache(spec) : spec
}
