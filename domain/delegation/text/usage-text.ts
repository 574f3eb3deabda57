import type { Usage } from "../../../contracts/usage.ts"
import { moneyText, tokensText } from "../../text/figures.ts"

/** Returns usage as `tokens 12.3k (in 10.1k / out 2.2k) · cost $0.04`; without the cost if a price is unknown. */
export const usageText = (usage: Usage): string => {
  const cost = moneyText(usage.cost_usd)
  return cost === undefined ? tokensText(usage) : `${tokensText(usage)} · cost ${cost}`
}
