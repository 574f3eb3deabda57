/**
 * Ordinals of the events that activities record themselves; the workflow's own events are numbered from 0. What a run records once has an ordinal of its own.
 */
export const runStartedOrdinal = -1

/** The ordinal of the event that closes a run, whichever process records it. */
export const runFinishedOrdinal = -2

/** The ordinal of the warning that a run's list does not have all tools of its MCP servers. */
export const toolsUnlistedOrdinal = -4

/** Returns the ordinal of a step's proposed calls; the odd ordinal below it is the step's usage. */
export const proposedOrdinal = (step: number): number => -1_000 - step * 2

export const usageOrdinal = (step: number): number => proposedOrdinal(step) - 1

/** Returns the ordinal of the usage of an answer that is asked for again in the same step. */
export const usageAgainOrdinal = (step: number): number => -500_000_000 - step

/** Returns the ordinal of the warning about a list of tools, from the list's hash: a run has one for each list. */
export const toolsChangedOrdinal = (list: string): number => -2_000_000_000 - Number.parseInt(list.slice(0, 6), 16)

/** Returns the ordinal of the warning about tools that are missing, from a hash of what is missing. It cannot be that of a list. */
export const toolsUnavailableOrdinal = (hash: string): number => -2_100_000_000 - Number.parseInt(hash.slice(0, 6), 16)

/** Returns the ordinal of a compaction, from the place of its row. */
export const compactedOrdinal = (seq: number): number => -1_000_000_000 - seq

/** Returns the ordinal of the end of a delegation call, from the call's hash and the place of its result. */
export const delegatedOrdinal = (hash: string, seq: number): number =>
  -3_000_000_000 - seq * 16 ** 6 - Number.parseInt(hash.slice(0, 6), 16)

export const pauseOrdinal = (pause: number): number => -1_000_000 - pause
