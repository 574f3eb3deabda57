import { AdjutantError } from "../../contracts/adjutant-error.ts"
import { dayMs } from "../../domain/text/duration.ts"

/** Returns a duration that an environment variable may set. Throws AdjutantError `invalid_config` for any other value. */
export const milliseconds = (
  env: NodeJS.ProcessEnv,
  name: string,
  { least, otherwise }: { readonly least: number; readonly otherwise: number },
): number => {
  const value = Number(env[name] || otherwise)
  if (Number.isInteger(value) && value >= least && value <= dayMs) return value
  throw new AdjutantError("invalid_config", `${name} must be milliseconds from ${least} to ${dayMs}`)
}

/** Limits of a start, in milliseconds. None includes a download or build, of any process. */
export interface StartLimits {
  /** From the start of a Temporal process until it is ready. */
  readonly readyTimeoutMs: number
  /** From SIGTERM to SIGKILL of a Temporal process. */
  readonly stopGraceMs: number
  /** How long a server with a record may refuse to answer. */
  readonly answerTimeoutMs: number
  /** From the start of a keeper, by any process, until its server is ready. */
  readonly keeperTimeoutMs: number
  /** How long a download may make no progress. */
  readonly downloadStallMs: number
  /** Between two lines of progress. */
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
 * Returns the given limits and the defaults of the others. `ADJUTANT_SERVER_START_TIMEOUT_MS` sets how long a server may take to become ready once its
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

/** Returns the time of the worst case: a keeper finds a server that does not become ready, stops it, starts another one, and stops that, too. */
export const longestKeeperStartMs = ({
  readyTimeoutMs,
  stopGraceMs,
}: Pick<StartLimits, "readyTimeoutMs" | "stopGraceMs">): number => 2 * (readyTimeoutMs + 2 * stopGraceMs)
