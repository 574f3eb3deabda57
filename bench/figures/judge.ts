import type { Figure } from "../benchmark.ts"
import { summarise } from "./statistics.ts"

export type Verdict = "met" | "missed" | "shown"

/** Returns whether the median of a figure meets its goal. */
export const judge = ({ goal, values }: Pick<Figure, "goal" | "values">): Verdict => {
  if (goal === undefined) return "shown"
  const { median } = summarise(values)
  return (goal.kind === "at-most" ? median <= goal.value : median >= goal.value) ? "met" : "missed"
}
