import type { StartedProcesses } from "./process-counter.ts"
import type { SetUpTime } from "./set-up-times.ts"

export interface FileTime {
  readonly project: string
  /** Relative to the root. */
  readonly file: string
  /** Loading, hooks and tests of the file. */
  readonly ms: number
  /** When the file began and ended, from the start of the run. */
  readonly fromMs: number
  readonly toMs: number
}

export interface RunTimes {
  readonly totalMs: number
  readonly setUps: readonly SetUpTime[]
  readonly files: readonly FileTime[]
  readonly processes: StartedProcesses
}

const slowestFiles = 15

const seconds = (ms: number): string => (ms / 1000).toFixed(1).padStart(8)

const sum = (files: readonly FileTime[]): number => files.reduce((total, { ms }) => total + ms, 0)

const projectRow = (project: string, files: readonly FileTime[]): string => {
  const wallMs = Math.max(...files.map(({ toMs }) => toMs)) - Math.min(...files.map(({ fromMs }) => fromMs))
  return `${seconds(wallMs)} s  ${project}: ${files.length} files, ${(sum(files) / 1000).toFixed(1)} s of work`
}

/** Returns the table of a test run's times, one line each. */
export const timeTable = ({ totalMs, setUps, files, processes }: RunTimes): string => {
  const projects = [...Map.groupBy(files, ({ project }) => project)]
  const slowest = files.toSorted((a, b) => b.ms - a.ms).slice(0, slowestFiles)
  return [
    "Time of this run",
    `${seconds(totalMs)} s  in all`,
    ...setUps.map(({ name, ms }) => `${seconds(ms)} s  global set-up: ${name}`),
    ...projects.map(([project, ofProject]) => projectRow(project, ofProject)),
    `Slowest ${slowest.length} files`,
    ...slowest.map(({ file, ms }) => `${seconds(ms)} s  ${file}`),
    `Started: ${processes.created} processes and threads, ${processes.temporalServers} Temporal servers, ${processes.adjutantStarts} adjutant processes`,
  ].join("\n")
}
