/** One thing that was looked at. */
export interface Finding {
  readonly name: string
  readonly status: "ok" | "warn" | "fail"
  /** What was found, in one line. */
  readonly detail: string
  /** What to do about it. */
  readonly hint?: string
}
