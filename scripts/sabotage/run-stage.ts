import { spawn } from "node:child_process"
import { mkdir, readFile, rm } from "node:fs/promises"
import path from "node:path"
import { z } from "zod"
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

/** Runs test files; stops at the first failure unless all are wanted. */
export type RunStage = (root: string, stage: Stage, wanted?: { readonly all: boolean }) => Promise<StageResult>

const reportSchema = z.object({
  testResults: z.array(
    z.object({
      name: z.string(),
      status: z.string(),
      message: z.string().nullish(),
      assertionResults: z.array(
        z.object({ status: z.string(), title: z.string(), ancestorTitles: z.array(z.string()) }),
      ),
    }),
  ),
})

/** Returns the first failed test of each file in vitest's JSON report, in the order of the files of the stage. */
export const failuresIn = (report: unknown, root: string, files: readonly string[]): readonly TestFailure[] => {
  const failures = reportSchema.parse(report).testResults.flatMap(({ name, status, message, assertionResults }) => {
    const file = path.relative(root, name).replaceAll(path.sep, "/")
    const failed = assertionResults.find((test) => test.status === "failed")
    if (failed !== undefined) return [{ file, title: [...failed.ancestorTitles, failed.title].join(" › ") }]
    const [line = ""] = (message ?? "").split("\n", 1)
    return status === "failed" ? [{ file, title: `the file fails: ${line}` }] : []
  })
  return failures.toSorted((left, right) => files.indexOf(left.file) - files.indexOf(right.file))
}

interface Ended {
  readonly exitCode: number | null
  readonly output: string
  readonly isLate: boolean
}

const runVitest = async (root: string, args: readonly string[], limitMs: number): Promise<Ended> => {
  const program = path.join(root, "node_modules/vitest/vitest.mjs")
  const env = { ...process.env, ADJUTANT_TEST_CACHE: path.join(root, ".cache"), CI: undefined }
  // A group of its own, so that its workers end with it.
  const child = spawn(process.execPath, [program, "run", ...args], { cwd: root, env, detached: true })
  let output = ""
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (data: Buffer) => {
      output = `${output}${data.toString()}`.slice(-4_000)
    })
  let isLate = false
  const killGroup = () => {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, "SIGKILL")
  }
  const timer = setTimeout(() => {
    isLate = true
    killGroup()
  }, limitMs)
  process.once("exit", killGroup)
  const exitCode = await new Promise<number | null>((resolve) => child.on("close", resolve))
  process.off("exit", killGroup)
  clearTimeout(timer)
  return { exitCode, output, isLate }
}

const readReport = async (file: string): Promise<unknown> => {
  try {
    return JSON.parse(await readFile(file, "utf8"))
  } catch {
    return undefined
  }
}

/** Returns a `RunStage` that starts vitest; a run that takes longer than `limitMs` is stopped. */
export const createRunStage =
  (limitMs: number): RunStage =>
  async (root, { projects, files }, { all } = { all: false }) => {
    const report = path.join(root, ".cache/sabotage-report.json")
    await mkdir(path.dirname(report), { recursive: true })
    await rm(report, { force: true })
    const options = ["--maxWorkers=2", "--reporter=json", `--outputFile.json=${report}`, ...(all ? [] : ["--bail=1"])]
    const chosen = projects.flatMap((project) => ["--project", project])
    const { exitCode, output, isLate } = await runVitest(root, [...options, ...chosen, ...files], limitMs)
    const found = await readReport(report)
    const failures = found === undefined ? [] : failuresIn(found, root, files)
    if (exitCode === 0 || failures.length > 0) return { failures }
    const problem = isLate ? `stopped after ${limitMs / 1_000} s` : `vitest failed: ${output.trim().slice(-600)}`
    return { failures, problem: `${problem} (${files.join(", ")})` }
  }
