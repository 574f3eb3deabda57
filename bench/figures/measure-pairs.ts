export interface Pair {
  readonly subject: () => Promise<number>
  readonly baseline: () => Promise<number>
}

export interface PairedValues {
  readonly subject: readonly number[]
  readonly baseline: readonly number[]
}

/** Measures both sides in alternating order, after one warm-up round that does not count. */
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
