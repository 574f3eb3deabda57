import path from "node:path"
import { Writable } from "node:stream"
import { setTimeout as delay } from "node:timers/promises"
import { createVitest, type TestModule, type Vitest } from "vitest/node"
import { errorMessage } from "../../domain/text/error-message.ts"
import type { Stage } from "./affected-tests.ts"

export interface TestFailure {
  readonly file: string
  readonly title: string
}

export interface StageResult {
  /** The first failed test of each file, in the order of the files. */
  readonly failures: readonly TestFailure[]
  /** Why there is no result: vitest itself failed, or the run took too long. */
  readonly problem?: string
}

export type RunStage = (stage: Stage) => Promise<StageResult>

/** A vitest that stays open, so that a run costs no start of it. */
export interface TestRunner {
  readonly run: RunStage
  /** Reports to vitest that a file has changed; relative to the root. */
  readonly changed: (file: string) => Promise<void>
  readonly close: () => Promise<void>
}

/** What is read of a test module of vitest. */
type RunModule = Pick<TestModule, "relativeModuleId" | "state" | "errors"> & {
  readonly children: {
    readonly allTests: (state: "failed") => Iterable<{ readonly fullName: string }>
    readonly allSuites: () => Iterable<{ readonly errors: () => readonly { readonly message: string }[] }>
  }
}

const firstLine = (text: string): string => text.split("\n", 1)[0] ?? ""

const failureOf = (module: RunModule): TestFailure | undefined => {
  if (module.state() !== "failed") return undefined
  const file = module.relativeModuleId
  for (const { fullName } of module.children.allTests("failed")) return { file, title: fullName }
  const errors = [...module.errors(), ...[...module.children.allSuites()].flatMap((suite) => suite.errors())]
  return { file, title: `the file fails: ${firstLine(errors[0]?.message ?? "without a message")}` }
}

/** Returns the first failed test of each file, in the order of the files of the stage. */
export const failuresOf = (modules: readonly RunModule[], files: readonly string[]): readonly TestFailure[] =>
  modules
    .flatMap((module) => failureOf(module) ?? [])
    .filter(({ file }) => files.includes(file))
    .toSorted((left, right) => files.indexOf(left.file) - files.indexOf(right.file))

/** Returns whether a file failed by an error of Vite about its own cache, which is gone after a new start: such a file has caught nothing. */
export const isOfCache = ({ title }: TestFailure): boolean => /: Soft-invalidated module /.test(title)

/** What the tests print says nothing about the faults. */
const silent = () => new Writable({ write: (_chunk, _encoding, done) => done() })

const openVitest = async (root: string, stopsAtFirst: boolean): Promise<Vitest> => {
  // The configuration reads them, and tests find their files from the working directory.
  process.chdir(root)
  process.env["ADJUTANT_TEST_CACHE"] = path.join(root, ".cache")
  delete process.env["CI"]
  const options = {
    ...{ root, watch: false, run: true, maxWorkers: 2, reporters: [{}], bail: stopsAtFirst ? 1 : 0 },
    project: ["unit", "io", "process", "workflow", "e2e", "deep"],
  }
  return await createVitest(options, {}, { stdout: silent(), stderr: silent() })
}

const patienceMs = 60_000

interface RunnerOptions {
  /** A run that takes longer is stopped. */
  readonly limitMs: number
  readonly stopsAtFirst: boolean
}

/** Creates a runner for the tests of a checkout. */
export const createTestRunner = (root: string, { limitMs, stopsAtFirst }: RunnerOptions): TestRunner => {
  let opened: Promise<Vitest> | undefined

  const close = async (): Promise<void> => {
    const vitest = await opened
    opened = undefined
    await Promise.race([vitest?.close(), delay(patienceMs, undefined, { ref: false })])
  }

  const runFiles = async ({ projects, files }: Stage): Promise<StageResult> => {
    const vitest = await (opened ??= openVitest(root, stopsAtFirst))
    process.chdir(root)
    const specifications = files.flatMap((file) =>
      vitest.projects
        .filter(({ name }) => projects.includes(name))
        .filter((project) => project.matchesTestGlob(path.join(root, file)))
        .map((project) => project.createSpecification(path.join(root, file))),
    )
    if (specifications.length === 0) return { failures: [], problem: `no project has ${files.join(", ")}` }
    // Vitest reports every file that it knows, also one that has not run because an earlier failure ended the run.
    vitest.state.filesMap.clear()
    vitest.state.idMap.clear()
    const { testModules, unhandledErrors } = await vitest.runTestSpecifications(specifications)
    const failures = failuresOf(testModules, files)
    const [error] = unhandledErrors
    return failures.length > 0 || error === undefined
      ? { failures }
      : { failures, problem: `an error outside the tests of ${files.join(", ")}: ${firstLine(errorMessage(error))}` }
  }

  const runSound = async (stage: Stage): Promise<StageResult> => {
    const first = await runFiles(stage)
    if (!first.failures.some(isOfCache)) return first
    await close()
    const second = await runFiles(stage)
    return second.failures.some(isOfCache) ? { failures: [], problem: "vitest does not load the files" } : second
  }

  return {
    run: async (stage) => {
      const stop = new AbortController()
      const late = delay(limitMs, undefined, { signal: stop.signal }).then(
        () => "late" as const,
        () => "ended" as const,
      )
      const result = await Promise.race([runSound(stage), late])
      stop.abort()
      if (typeof result !== "string") return result
      await close()
      return { failures: [], problem: `stopped after ${limitMs / 1_000} s: ${stage.files.join(", ")}` }
    },
    changed: async (file) => (await opened)?.invalidateFile(path.join(root, file)),
    close,
  }
}
