/** Exports the spans of runs that have ended. */
export interface Tracer {
  /** Exports a run in the background. A failure is logged, and affects nothing else. */
  readonly trace: (sessionId: string, runId: string) => void
  /** Exports a delivery that was sent or given up, likewise. */
  readonly traceDelivery: (key: string) => void
  /** Waits for what is being exported. */
  readonly close: () => Promise<void>
}
