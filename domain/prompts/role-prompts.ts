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

/** Who reads what an agent says: the agent or program that started it, the person who did, or the people of a thread. */
export type AnswerReader = "caller" | "person" | "thread"

const toCaller =
  "The caller does not see your steps, only your final report, and may not be available to answer questions while you work."

const toReader: Readonly<Record<Exclude<AnswerReader, "caller">, string>> = {
  person:
    "The person who gave it to you reads your final report, and may not be available to answer questions while you work.",
  thread: "You talk with people in a thread: they read what you say there, and can answer your questions.",
}

/** Returns a built-in role prompt for its reader: only one that something started for itself is a sub-agent. */
const forReader = (prompt: string, reader: AnswerReader): string =>
  reader === "caller"
    ? prompt
    : [
        prompt.replace("You are a sub-agent that", "You are an agent that").replace(toCaller, toReader[reader]),
        ...(reader === "thread" && !prompt.includes(toCaller) ? [toReader.thread] : []),
      ].join("\n\n")

/** Returns the role prompt of a profile: its own, else that of the built-in profile of the same name, else that of `general`. */
export const rolePromptOf = (agent: string, ownPrompt: string | undefined, reader: AnswerReader = "caller"): string =>
  ownPrompt ?? forReader(rolePrompts[isBuiltinProfileName(agent) ? agent : "general"], reader)
