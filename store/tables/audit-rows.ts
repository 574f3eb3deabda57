export interface AuditRow {
  readonly id: number
  readonly at: string
  readonly sessionId: string
  readonly runId: string | null
  readonly action: string
  readonly by: string
  readonly via: string
  readonly detail: Readonly<Record<string, unknown>>
}

export interface Audit {
  /** `key` makes a repeated entry idempotent. */
  record(entry: Omit<AuditRow, "id" | "at"> & { key?: string }): Promise<void>
  list(filter: { sessionId?: string; limit?: number }): Promise<readonly AuditRow[]>
}
