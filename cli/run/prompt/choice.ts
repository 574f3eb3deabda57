/** What a person can answer about a pending call. */
export const choices = ["approve", "reject", "edit", "diff", "later"] as const
export type Choice = (typeof choices)[number]

/** The question, with the key of each choice in brackets. */
export const choiceQuestion = choices.map((choice) => `[${choice[0]}]${choice.slice(1)}`).join(" ")

/** Returns the choice of a typed line: its key or the whole word. Undefined for anything else: nothing is decided by accident. */
export const choiceOf = (line: string): Choice | undefined => {
  const typed = line.trim().toLowerCase()
  return choices.find((choice) => typed === choice || typed === choice[0])
}
