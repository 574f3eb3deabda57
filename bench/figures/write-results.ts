import { mkdir, writeFile } from "node:fs/promises"
import { join } from "node:path"
import type { Benchmark, Measured } from "../benchmark.ts"
import { growthPlot } from "./growth-plot.ts"
import { judge } from "./judge.ts"
import type { MachineFacts } from "./machine-facts.ts"
import { summarise } from "./statistics.ts"

export const resultsFolder = join(import.meta.dirname, "../results")

export interface FinishedBenchmark {
  readonly benchmark: Pick<Benchmark, "name" | "title">
  readonly measured: Measured
  readonly machine: MachineFacts
}

/** Writes `<name>.json`, and an SVG for each growth curve, to the folder. */
export const writeResults = async (
  { benchmark, measured, machine }: FinishedBenchmark,
  folder: string,
): Promise<void> => {
  await mkdir(folder, { recursive: true })
  const document = {
    name: benchmark.name,
    title: benchmark.title,
    machine,
    figures: measured.figures.map((figure) => ({ ...figure, ...summarise(figure.values), verdict: judge(figure) })),
    growth: measured.growth ?? [],
    notes: measured.notes ?? [],
  }
  await writeFile(join(folder, `${benchmark.name}.json`), `${JSON.stringify(document, null, 2)}\n`)
  for (const growth of measured.growth ?? []) await writeFile(join(folder, `${growth.name}.svg`), growthPlot(growth))
}
