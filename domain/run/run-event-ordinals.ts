/** Ordinals of the events that activities write themselves; the workflow's own events count up from 0. */
export const runStartedOrdinal = -1

/** Of the event that closes a run, whoever records the end: it is written once. */
export const runFinishedOrdinal = -2

/** Of a step's calls; the odd numbers below are its usage. */
export const proposedOrdinal = (step: number): number => -1_000 - step * 2

export const pauseOrdinal = (pause: number): number => -1_000_000 - pause
