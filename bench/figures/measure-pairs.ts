export interface Pair<T> {
  readonly subject: () => Promise<T>
  readonly baseline: () => Promise<T>
}

export interface PairedValues<T = number> {
  readonly subject: readonly T[]
  readonly baseline: readonly T[]
}

/** Measures both sides in alternating order, after one warm-up round that does not count. */
export const measurePairs = async <T = number>(
  pair: Pair<T>,
  pairs: number,
  onPair: (subject: T, baseline: T) => void = () => undefined,
): Promise<PairedValues<T>> => {
  await pair.baseline()
  await pair.subject()
  const subject: T[] = []
  const baseline: T[] = []
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
