/** Measured seconds of each entry, alone or next to another one. */
export type MeasuredTimes = Readonly<Record<string, number>>

/** Seconds that two processes of vitest work within the eight minutes of a shard, less its start. */
const capacity = 2 * 7 * 60

/** What an entry that nobody has measured yet counts for. */
const unmeasuredSeconds = 60

/**
 * Cuts entries into shards of at most eight minutes by their measured times: the longest first, each into the first shard that has room. The
 * same entries and times give the same shards.
 */
export const cutShards = (entries: readonly string[], times: MeasuredTimes): readonly (readonly string[])[] => {
  const secondsOf = (entry: string): number => times[entry] ?? unmeasuredSeconds
  const shards: { entries: string[]; seconds: number }[] = []
  const longestFirst = entries.toSorted((a, b) => secondsOf(b) - secondsOf(a) || a.localeCompare(b))
  for (const entry of longestFirst) {
    const seconds = secondsOf(entry)
    const fitting = shards.find((shard) => shard.seconds + seconds <= capacity)
    if (fitting === undefined) shards.push({ entries: [entry], seconds })
    else {
      fitting.entries.push(entry)
      fitting.seconds += seconds
    }
  }
  return shards.map((shard) => shard.entries.toSorted())
}

/** Returns the index of the shard that a landing runs, by the first four bytes of a tree's hash. */
export const shardOfTree = (treeHash: string, shards: number): number => {
  const first = Number.parseInt(treeHash.slice(0, 8), 16)
  if (!Number.isSafeInteger(first)) throw new TypeError(`not the hash of a git tree: ${treeHash}`)
  return first % shards
}
