import { milliseconds } from "./milliseconds.ts"

/**
 * Limits of a start, in milliseconds. Each is counted from the moment at which what it waits for can begin: none covers a download, a build, or
 * another process's.
 */
export interface StartLimits {
  /** A Temporal process, until it answers. */
  readonly readyTimeoutMs: number
  /** A Temporal process that was asked to end, until it is killed. */
  readonly stopGraceMs: number
  /** A server that is said to be ready and does not answer. */
  readonly answerTimeoutMs: number
  /** A keeper, whoever starts it, until its server is ready; all that it may have to do is within it. */
  readonly keeperTimeoutMs: number
  /** A download that brings nothing. */
  readonly downloadStallMs: number
  /** Time between two lines of progress. */
  readonly progressEveryMs: number
}

const defaults = {
  readyTimeoutMs: 60_000,
  stopGraceMs: 15_000,
  answerTimeoutMs: 90_000,
  downloadStallMs: 15_000,
  progressEveryMs: 5_000,
}

/**
 * The limits that are given, and the defaults of the others. `ADJUTANT_SERVER_START_TIMEOUT_MS` says how long a server may take to get ready once its
 * program is there (default 60 s).
 */
export const startLimits = (env: NodeJS.ProcessEnv, given: Partial<StartLimits> = {}): StartLimits => {
  const { readyTimeoutMs } = { ...defaults, ...given }
  const limits = {
    ...defaults,
    ...given,
    readyTimeoutMs: milliseconds(env, "ADJUTANT_SERVER_START_TIMEOUT_MS", { least: 1, otherwise: readyTimeoutMs }),
  }
  return { keeperTimeoutMs: longestKeeperStartMs(limits), ...limits }
}

/** A keeper may find a server that does not get ready, stop it, start another one that does not, and stop that. */
export const longestKeeperStartMs = ({
  readyTimeoutMs,
  stopGraceMs,
}: Pick<StartLimits, "readyTimeoutMs" | "stopGraceMs">): number => 2 * (readyTimeoutMs + 2 * stopGraceMs)
