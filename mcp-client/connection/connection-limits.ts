export interface ConnectionLimits {
  /** Time limit for starting a server and for listing its tools. */
  readonly connectTimeoutMs: number
  /** How long an unused connection stays open. */
  readonly idleMs: number
  /** Maximum age of the tool list of a closed connection. */
  readonly toolsMaxAgeMs: number
  /** Wait before the third attempt in a row; doubles up to `backOffMaxMs`. The second attempt does not wait. */
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
