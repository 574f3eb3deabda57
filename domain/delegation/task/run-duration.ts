/** Returns the milliseconds from a run's start to its end, or until now; null before it started. Times are ISO 8601. */
export const runDurationMs = (
  run: { readonly startedAt: string | null; readonly finishedAt: string | null } | undefined,
  nowMs: number,
): number | null => {
  if (run?.startedAt == null) return null
  const end = run.finishedAt === null ? nowMs : Date.parse(run.finishedAt)
  return Math.max(0, end - Date.parse(run.startedAt))
}
