import type { Usage } from "../../../contracts/usage.ts"
import { moneyText, tokensText } from "./figures.ts"

/** `tokens 12.3k (in 10.1k / out 2.2k) · cost $0.04`; without the cost where a price is unknown. */
export const usageText = (usage: Usage): string => {
  const input = usage.input_tokens + usage.cache_read_tokens + usage.cache_write_tokens
  const cost = moneyText(usage.cost_usd)
  return [
    `tokens ${tokensText(input + usage.output_tokens)} (in ${tokensText(input)} / out ${tokensText(usage.output_tokens)})`,
    ...(cost === undefined ? [] : [`cost ${cost}`]),
  ].join(" · ")
}
