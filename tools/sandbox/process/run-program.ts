import { randomUUID } from "node:crypto"
import type { Marks, PlanLaunch } from "../launch.ts"
import { markNames } from "./process-mark.ts"
import { startProcess, type RunningProcess } from "./running-process.ts"
import type { ProgramResult, Sandbox, SandboxProgram } from "../sandbox.ts"

type Cause = "timeout" | "abort" | "output"

const neverStarted: ProgramResult = { exitCode: null, signal: null, stoppedFor: "abort", stdout: "", stderrEnd: "" }

/** Collects standard output up to its limit, and the end of standard error. */
const createKeeper = (program: SandboxProgram, onTooMuch: () => void) => {
  const stdout: Buffer[] = []
  let room = program.maxStdoutBytes
  let stderr = Buffer.alloc(0)
  return {
    take(chunk: Buffer, from: "stdout" | "stderr"): void {
      if (from === "stderr") {
        stderr = Buffer.concat([stderr, chunk]).subarray(-program.maxStderrBytes)
        return
      }
      if (room > 0) stdout.push(chunk.subarray(0, room))
      room -= chunk.length
      if (room < 0) onTooMuch()
    },
    kept: () => ({ stdout: Buffer.concat(stdout).toString("utf8"), stderrEnd: stderr.toString("utf8") }),
  }
}

/** Runs each program as its own process group. Stopping a program also stops everything that it started. */
export const createProgramRunner =
  (plan: PlanLaunch): Sandbox["runProgram"] =>
  async (program) => {
    if (program.signal.aborted) return neverStarted
    const commandId = randomUUID()
    const marks: Marks = { [markNames.owner]: program.ownerId, [markNames.command]: commandId }
    const { file, args, cwd, env, hiddenDirs, fixed, scratchDir, closedPaths } = program
    const what = { type: "program", file, args } as const
    const launch = await plan({ what, cwd, env, hiddenDirs, fixed, scratchDir, closedPaths }, marks)
    let running: RunningProcess | undefined
    let cause: Cause | null = null
    const stopFor = (reason: Cause): void => {
      cause ??= reason
      void running?.stop()
    }
    const keeper = createKeeper(program, () => stopFor("output"))
    const onAbort = (): void => stopFor("abort")
    const timer = setTimeout(() => stopFor("timeout"), program.timeoutMs)
    program.signal.addEventListener("abort", onAbort, { once: true })
    try {
      running = await startProcess({
        launch,
        onOutput: keeper.take,
        stdin: program.stdin,
        mark: { name: markNames.command, value: commandId },
        graceMs: program.killGraceMs,
      })
      if (cause !== null || program.signal.aborted) stopFor("abort")
      const end = await running.ended
      return { ...end, stoppedFor: cause, ...keeper.kept() }
    } finally {
      clearTimeout(timer)
      program.signal.removeEventListener("abort", onAbort)
    }
  }
