import type { TunedServer } from "./rig/tuned-server.ts"

/** The goal of a figure. */
export interface Goal {
  readonly kind: "at-most" | "at-least"
  readonly value: number
}

/** One side of a comparison, one value per pair. */
export interface Side {
  readonly label: string
  readonly unit: string
  readonly values: readonly number[]
}

/** One number with a verdict, measured several times. */
export interface Figure {
  readonly label: string
  /** `×` for a ratio of two sides. */
  readonly unit: string
  readonly values: readonly number[]
  /** Undefined: shown without a verdict. */
  readonly goal?: Goal
  readonly sides?: readonly Side[]
}

/** Values over the number of steps, for a plot. */
export interface Growth {
  readonly name: string
  readonly title: string
  readonly xLabel: string
  readonly yLabel: string
  readonly points: readonly { readonly x: number; readonly y: number }[]
}

export interface Measured {
  readonly figures: readonly Figure[]
  readonly growth?: readonly Growth[]
  readonly notes?: readonly string[]
}

export interface BenchContext {
  /** Returns the embedded server as `server/` starts it, shared by the benchmarks of one run. */
  server(): Promise<TunedServer>
  /** Returns how often to measure: the number from the command line, else the benchmark's own. */
  pairs(own: number): number
  log(line: string): void
}

export interface Benchmark {
  readonly name: string
  readonly title: string
  measure(context: BenchContext): Promise<Measured>
}
