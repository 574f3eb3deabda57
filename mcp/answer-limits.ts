/** How long a client may wait for the answer to one call, in milliseconds, by whether the call asks for progress. */
export interface AnswerLimits {
  /** Clients that ask for no progress give up after a minute. */
  readonly plainMs: number
  /** Some clients give up after five minutes, whatever progress they get. */
  readonly progressMs: number
}

/** A part of the clients' own limits, so that the answer arrives in time. */
export const defaultAnswerLimits: AnswerLimits = { plainMs: 45_000, progressMs: 270_000 }
