/** How long and how often requests to a server are tried. `…Ms`: milliseconds. */
export interface RemoteTiming {
  readonly requestTimeoutMs: number
  /** Delays before the second and later attempts of a request. */
  readonly retryDelaysMs: readonly number[]
  /** How long a wait tolerates that the server cannot be reached: the time of a restart. */
  readonly outageToleranceMs: number
}

export const defaultRemoteTiming: RemoteTiming = {
  requestTimeoutMs: 60_000,
  retryDelaysMs: [200, 500, 1_000, 2_000, 4_000],
  outageToleranceMs: 300_000,
}

/** The server of the HTTP API, and the token for it. */
export interface ServerConnection {
  /** Address without a trailing slash, such as `https://adjutant.example.com`. */
  readonly url: string
  readonly token: string
  readonly timing: RemoteTiming
  /** Path of the unix socket of a service of this machine, which needs no token. */
  readonly socket?: string
  /** Further headers of every request. */
  headers?(): Readonly<Record<string, string>>
  /**
   * Called before a request is repeated that did not reach the server: brings it back, if this process can. Rejects if it will not come back.
   */
  restore?(signal: AbortSignal | undefined): Promise<void>
}
