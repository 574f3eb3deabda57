import type { Message } from "../../contracts/message.ts"
import { counted } from "../text/figures.ts"

/**
 * How near a run is to the end of its steps: the model was told that few are left, is asked for its last answer, or has given it. The last answer counts as
 * no step.
 */
export type StepsEnd = "told" | "asked" | "answered"

/** Returns how many steps are left when the model is told so: a tenth of all. 0: it is not told, the run has too few of them. */
const toldAt = (maxSteps: number): number => Math.floor(maxSteps / 10)

/** Returns whether the model is told now how many steps are left. */
export const isTenthLeft = (stepsTaken: number, maxSteps: number): boolean => {
  const left = maxSteps - stepsTaken
  return left > 0 && left <= toldAt(maxSteps)
}

export const stepsLeftNotice = (stepsTaken: number, maxSteps: number): string =>
  `This run has ${counted(maxSteps - stepsTaken, "step")} of ${maxSteps} left, this one included. Finish what matters most, and leave the work in a state that someone can continue.`

const lastAnswerStart = "All steps of this run are used up"

/** The request for the last answer of a run. */
export const lastAnswerNotice = `${lastAnswerStart}: no other call runs. Report now, without calls: what is done, what is not done, what you found out that is needed to continue, and what the next step would be.`

/** Why a call in the last answer does not run, for the model. */
export const lastAnswerProblem =
  "not run: all steps of the run are used up. If the work is continued, make the call again if it is still needed"

/** Returns whether a message requests the last answer of a run. */
export const isLastAnswerNotice = (message: Message | undefined): boolean =>
  message?.role === "user" && message.source === "notice" && message.text.startsWith(lastAnswerStart)
