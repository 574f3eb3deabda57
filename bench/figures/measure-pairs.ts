export interface Pair {
  readonly subject: () => Promise<number>
  readonly baseline: () => Promise<number>
}

export interface PairedValues {
  readonly subject: readonly number[]
  readonly baseline: readonly number[]
}

/** Measures both sides after one round that does not count, side by side, and in turn the one or the other first. */
export const measurePairs = async (
  pair: Pair,
  pairs: number,
  onPair: (subject: number, baseline: number) => void = () => undefined,
): Promise<PairedValues> => {
  await pair.baseline()
  await pair.subject()
  const subject: number[] = []
  const baseline: number[] = []
  for (let round = 0; round < pairs; round += 1) {
    const subjectFirst = round % 2 === 0
    const first = await (subjectFirst ? pair.subject : pair.baseline)()
    const second = await (subjectFirst ? pair.baseline : pair.subject)()
    const [ours, theirs] = subjectFirst ? [first, second] : [second, first]
    subject.push(ours)
    baseline.push(theirs)
    onPair(ours, theirs)
  }
  return { subject, baseline }
}
