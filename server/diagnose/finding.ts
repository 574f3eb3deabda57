/** The result of one check. */
export interface Finding {
  readonly name: string
  readonly status: "ok" | "warn" | "fail"
  /** The result, in one line. */
  readonly detail: string
  /** What the user can do about it. */
  readonly hint?: string
}
