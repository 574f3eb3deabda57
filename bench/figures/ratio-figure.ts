import type { Figure, Goal } from "../benchmark.ts"
import type { PairedValues } from "./measure-pairs.ts"
import { pairwiseRatios } from "./statistics.ts"

export interface RatioLabels {
  readonly label: string
  readonly subject: string
  readonly baseline: string
  readonly unit: string
  readonly goal?: Goal
}

/** Returns the figure of subject ÷ baseline, pair by pair. */
export const ratioFigure = ({ label, subject, baseline, unit, goal }: RatioLabels, measured: PairedValues): Figure => ({
  label,
  unit: "×",
  values: pairwiseRatios(measured.subject, measured.baseline),
  ...(goal === undefined ? {} : { goal }),
  sides: [
    { label: subject, unit, values: measured.subject },
    { label: baseline, unit, values: measured.baseline },
  ],
})
