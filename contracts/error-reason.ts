/** What an error can be about. */
export const errorSubjects = [
  /** No session has this name. */
  "unknown",
  /** No pause has this checkpoint id. */
  "checkpoint",
  /** The session is in another state than the request needs. */
  "state",
  /** The grants of the session. */
  "grants",
  "deliveries",
  /** No worker answers. */
  "worker",
] as const

/** Why an error came. From it, each surface derives what its reader can do. */
export interface ErrorReason {
  readonly about: (typeof errorSubjects)[number]
  /** The session that the error is about. */
  readonly task_id?: string | undefined
}
