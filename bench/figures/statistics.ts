export interface Summary {
  readonly median: number
  readonly min: number
  readonly max: number
}

/** Returns the `q` quantile of the values, interpolated. Throws if there is no value. */
export const quantile = (values: readonly number[], q: number): number => {
  const sorted = values.toSorted((a, b) => a - b)
  const at = (sorted.length - 1) * q
  const low = sorted[Math.floor(at)]
  const high = sorted[Math.ceil(at)]
  if (low === undefined || high === undefined) throw new Error("nothing was measured")
  return low + (high - low) * (at - Math.floor(at))
}

export const summarise = (values: readonly number[]): Summary => ({
  median: quantile(values, 0.5),
  min: Math.min(...values),
  max: Math.max(...values),
})

/** Returns the quotient of each pair: a temporary load on the machine affects both halves of a pair. */
export const pairwiseRatios = (subject: readonly number[], baseline: readonly number[]): readonly number[] => {
  if (subject.length !== baseline.length) throw new Error("both sides must be measured equally often")
  return subject.map((value, index) => value / (baseline[index] ?? Number.NaN))
}
