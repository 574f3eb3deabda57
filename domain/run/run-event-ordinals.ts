/** Ordinal of the event that closes a run, whoever records the end: it is written once. The workflow's own events count up from 0. */
export const runFinishedOrdinal = -2
