import type { Usage } from "../../../contracts/usage.ts"
import { moneyText, countText } from "../../text/figures.ts"

/** `tokens 12.3k (in 10.1k / out 2.2k) · cost $0.04`; without the cost where a price is unknown. */
export const usageText = (usage: Usage): string => {
  const input = usage.input_tokens + usage.cache_read_tokens + usage.cache_write_tokens
  const cost = moneyText(usage.cost_usd)
  return [
    `tokens ${countText(input + usage.output_tokens)} (in ${countText(input)} / out ${countText(usage.output_tokens)})`,
    ...(cost === undefined ? [] : [`cost ${cost}`]),
  ].join(" · ")
}
