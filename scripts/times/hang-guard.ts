import { execFileSync } from "node:child_process"
import type { Reporter, TestCase, TestModule } from "vitest/node"

/** No test and no hook may take this long (vitest.config.ts): a run in which nothing ends meanwhile never ends. */
const patienceMs = 15 * 60_000

const processTree = (): string => {
  try {
    const columns = ["-o", "pid,ppid,stat,etimes,args"]
    // Without the threads of the kernel.
    const printed = execFileSync("ps", ["--ppid", "2", "-p", "2", "--deselect", ...columns, "--forest"], {
      encoding: "utf8",
    })
    return printed.replaceAll(/^(.{240}).*$/gm, "$1")
  } catch (error) {
    return `no list of processes: ${error instanceof Error ? error.message : String(error)}`
  }
}

/**
 * Ends a test run in which no test has ended for a quarter of an hour, and prints the files that were running and the processes of the machine:
 * a run that hangs would otherwise use up the time of CI and name nothing.
 */
export default class HangGuard implements Reporter {
  readonly #running = new Map<string, string>()
  #lastMs = performance.now()
  #timer: NodeJS.Timeout | undefined

  onTestRunStart(): void {
    this.#lastMs = performance.now()
    this.#timer ??= setInterval(() => {
      if (performance.now() - this.#lastMs > patienceMs) this.#giveUp()
    }, 30_000).unref()
  }

  onTestModuleStart(module: TestModule): void {
    this.#progress()
    this.#running.set(module.id, "no test yet")
  }

  onTestCaseReady(test: TestCase): void {
    this.#running.set(test.module.id, test.fullName)
  }

  onTestCaseResult(): void {
    this.#progress()
  }

  onTestModuleEnd(module: TestModule): void {
    this.#progress()
    this.#running.delete(module.id)
  }

  onTestRunEnd(): void {
    clearInterval(this.#timer)
  }

  #progress(): void {
    this.#lastMs = performance.now()
  }

  #giveUp(): never {
    const files = [...this.#running].map(([file, test]) => `  ${file}: ${test}`)
    process.stdout.write(
      `\nno test has ended for ${patienceMs / 60_000} minutes; these files were running:\n${files.join("\n")}\n\n${processTree()}\n`,
    )
    process.exit(1)
  }
}
