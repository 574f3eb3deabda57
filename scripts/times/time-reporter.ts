import { writeFileSync } from "node:fs"
import path from "node:path"
import type { Reporter, TestModule } from "vitest/node"
import { countProcesses } from "./process-counter.ts"
import { setUpTimes } from "./set-up-times.ts"
import { type FileTime, type RunTimes, timeTable } from "./time-table.ts"

const root = path.resolve(import.meta.dirname, "../..")

/**
 * Prints where the time of a test run went, as its last lines: each project, the slowest files, global set-up, and what was started. Where
 * `ADJUTANT_TEST_TIMES` names a file, it gets the times of all test files as JSON.
 */
export default class TimeReporter implements Reporter {
  #stopCounting = countProcesses()
  #startedMs = performance.now()
  readonly #starts = new Map<string, number>()
  readonly #files: FileTime[] = []

  onTestRunStart(): void {
    this.#stopCounting()
    this.#stopCounting = countProcesses()
    this.#startedMs = performance.now()
    this.#files.length = 0
  }

  onTestModuleQueued(module: TestModule): void {
    this.#starts.set(module.id, performance.now())
  }

  onTestModuleEnd(module: TestModule): void {
    const now = performance.now()
    const { collectDuration, setupDuration, prepareDuration, environmentSetupDuration, duration } = module.diagnostic()
    this.#files.push({
      project: module.project.name,
      file: path.relative(root, module.moduleId),
      ms: collectDuration + setupDuration + prepareDuration + environmentSetupDuration + duration,
      fromMs: (this.#starts.get(module.id) ?? now) - this.#startedMs,
      toMs: now - this.#startedMs,
    })
  }

  onTestRunEnd(): void {
    const times: RunTimes = {
      totalMs: performance.now() - this.#startedMs,
      setUps: setUpTimes(),
      files: this.#files,
      processes: this.#stopCounting(),
    }
    process.stdout.write(`\n${timeTable(times)}\n`)
    const reportFile = process.env["ADJUTANT_TEST_TIMES"]
    if (reportFile !== undefined) writeFileSync(reportFile, JSON.stringify(times))
  }
}
