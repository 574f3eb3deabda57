export interface ConnectionLimits {
  /** How long starting a server, and asking it for its tools, may take. */
  readonly connectTimeoutMs: number
  /** How long a connection that nobody uses stays open. */
  readonly idleMs: number
  /** How old the list of tools of a closed connection may be. */
  readonly toolsMaxAgeMs: number
  /** Wait before the third try in a row; it doubles up to `backOffMaxMs`. The second comes at once. */
  readonly backOffMs: number
  readonly backOffMaxMs: number
}

export const defaultConnectionLimits: ConnectionLimits = {
  connectTimeoutMs: 30_000,
  idleMs: 60_000,
  toolsMaxAgeMs: 300_000,
  backOffMs: 1_000,
  backOffMaxMs: 60_000,
}
