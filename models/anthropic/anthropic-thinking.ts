import type { MessageCreateParamsBase } from "@anthropic-ai/sdk/resources/messages"
import type { Thinking } from "../../contracts/run/model-provider.ts"

type ThinkingParams = Pick<MessageCreateParamsBase, "thinking" | "output_config">

const minBudgetTokens = 1024
const budgetTokens = { low: 2048, medium: 8192, high: 24_576 } as const

/** Whether a model uses a token budget instead of an effort: models before 4.6. */
const takesBudget = (model: string) => /claude-(3|(opus|sonnet|haiku)-4(-[0-5])?(-\d{6,}|$))/.test(model)
/** Whether a model thinks only on request: models from 4.6 to 4.8. */
const thinksOnRequest = (model: string) => /claude-(opus|sonnet|haiku)-4-[6-8]/.test(model)
const canBeDisabled = (model: string) => /claude-((opus|sonnet)-5(-\d{6,}|$)|haiku-5)/.test(model)
const thinksBetweenTools = (model: string) => /claude-sonnet-5-5/.test(model)

/**
 * Returns the parameters of a request for a thinking level; none if no level is set, so that the model's default applies. `off` requests the
 * lowest effort from models whose thinking cannot be disabled. `mayThink`: false if an older model cannot start thinking at this point.
 */
export const anthropicThinking = (
  model: string,
  thinking: Thinking | undefined,
  options: { readonly maxOutputTokens: number; readonly mayThink: boolean },
): ThinkingParams => {
  if (thinking === undefined) return {}
  if (thinking === "off") return withoutThinking(model)
  if (!takesBudget(model))
    return { thinking: { type: "adaptive", display: "summarized" }, output_config: { effort: thinking } }
  const budget = Math.min(budgetTokens[thinking], Math.floor(options.maxOutputTokens / 2))
  if (!options.mayThink || budget < minBudgetTokens) return {}
  return { thinking: { type: "enabled", budget_tokens: budget } }
}

const withoutThinking = (model: string): ThinkingParams => {
  if (takesBudget(model) || thinksOnRequest(model)) return {}
  if (thinksBetweenTools(model)) return { thinking: { type: "between_tools" } }
  if (canBeDisabled(model)) return { thinking: { type: "disabled" } }
  return { output_config: { effort: "low" } }
}
