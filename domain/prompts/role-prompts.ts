import { explorePrompt } from "./explore.ts"
import { generalPrompt } from "./general.ts"
import { planPrompt } from "./plan.ts"
import { summaryPrompt } from "./summary.ts"

export const builtinProfileNames = ["general", "explore", "plan", "summary"] as const
export type BuiltinProfileName = (typeof builtinProfileNames)[number]

export const rolePrompts: Readonly<Record<BuiltinProfileName, string>> = {
  general: generalPrompt,
  explore: explorePrompt,
  plan: planPrompt,
  summary: summaryPrompt,
}

export const isBuiltinProfileName = (name: string): name is BuiltinProfileName => Object.hasOwn(rolePrompts, name)

/** Returns the role prompt of a profile: its own, else that of the built-in profile of the same name, else that of `general`. */
export const rolePromptOf = (agent: string, ownPrompt: string | undefined): string =>
  ownPrompt ?? rolePrompts[isBuiltinProfileName(agent) ? agent : "general"]
