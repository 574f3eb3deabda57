import { randomUUID } from "node:crypto"
import { setTimeout as delay } from "node:timers/promises"
import type { Marks, PlanLaunch } from "../launch.ts"
import { createOutputRecorder, type OutputRecorder } from "./output-recorder.ts"
import { markNames } from "./process-mark.ts"
import { startProcess, type ProcessEnd, type RunningProcess } from "./running-process.ts"
import type { SandboxCommand, SandboxResult } from "../sandbox.ts"
import { stopProcesses } from "./stop-processes.ts"

export interface ProcessLimits {
  /** Time between SIGTERM and SIGKILL. */
  readonly graceMs: number
  /** Maximum bytes of one command's output on disk. */
  readonly maxOutputFileBytes: number
  /** How long a background command is observed, so that an immediate failure is reported. */
  readonly backgroundStartMs: number
}

export const defaultProcessLimits: ProcessLimits = {
  graceMs: 5_000,
  maxOutputFileBytes: 50 * 1024 * 1024,
  backgroundStartMs: 200,
}

export interface ProcessRunner {
  run(command: SandboxCommand, plan: PlanLaunch): Promise<SandboxResult>
  stopBackground(ownerId: string): Promise<void>
}

const neverStarted: SandboxResult = {
  exitCode: null,
  signal: null,
  timedOut: false,
  aborted: true,
  output: "",
  outputBytes: 0,
  truncated: false,
}

const lastLine = (end: ProcessEnd): string =>
  end.exceeded !== undefined
    ? `\n[${end.exceeded}]\n`
    : end.signal === null
      ? `\n[exited with code ${end.exitCode ?? "unknown"}]\n`
      : `\n[ended by ${end.signal}]\n`

/** Waits for the command. Stops it at its timeout or if the signal aborts. */
const supervise = async (
  running: RunningProcess,
  command: SandboxCommand,
): Promise<ProcessEnd & { readonly timedOut: boolean; readonly aborted: boolean }> => {
  let cause: "timeout" | "abort" | undefined
  const stopFor = (reason: "timeout" | "abort"): void => {
    cause ??= reason
    void running.stop()
  }
  const onAbort = (): void => stopFor("abort")
  const timer = setTimeout(() => stopFor("timeout"), command.timeoutMs)
  command.signal.addEventListener("abort", onAbort, { once: true })
  if (command.signal.aborted) onAbort()
  try {
    const end = await running.ended
    return { ...end, timedOut: cause === "timeout", aborted: cause === "abort" }
  } finally {
    clearTimeout(timer)
    command.signal.removeEventListener("abort", onAbort)
  }
}

/** Passes the output on to the recorder, and to the follower of the command. */
const toBoth =
  (recorder: OutputRecorder, { onOutput }: Pick<SandboxCommand, "onOutput">) =>
  (chunk: Buffer): void => {
    recorder.write(chunk)
    onOutput?.(chunk)
  }

/** Runs each command as its own process group, and keeps track of those in the background. */
export const createProcessRunner = (limits: ProcessLimits): ProcessRunner => {
  const background = new Map<string, Set<RunningProcess>>()

  const keep = (command: SandboxCommand, running: RunningProcess, recorder: OutputRecorder): void => {
    const { ownerId } = command
    const owned = background.get(ownerId) ?? new Set()
    background.set(ownerId, owned.add(running))
    const forget = async (): Promise<void> => {
      recorder.close(lastLine(await running.ended))
      command.onEnded?.()
      owned.delete(running)
      if (owned.size === 0 && background.get(ownerId) === owned) background.delete(ownerId)
    }
    command.onStarted?.()
    void forget()
  }

  return {
    async run(command, plan) {
      if (command.signal.aborted) return neverStarted
      const commandId = randomUUID()
      const marks: Marks = { [markNames.owner]: command.ownerId, [markNames.command]: commandId }
      const { cwd, env, hiddenDirs, fixed, scratchDir, closedPaths, network } = command
      const inBackground = command.background === true
      const recorder = createOutputRecorder({
        file: command.outputFile,
        maxBytes: command.maxOutputBytes,
        maxFileBytes: limits.maxOutputFileBytes,
        keepFile: inBackground,
      })
      const mark = { name: markNames.command, value: commandId }
      try {
        const what = { type: "shell", command: command.command } as const
        const peers = [...(background.get(command.ownerId) ?? [])].map(({ pid }) => pid)
        const shown = { hiddenDirs, fixed, scratchDir, closedPaths, network }
        const request = { what, cwd, env, ...shown, peers, background: inBackground }
        const launch = await plan(request, marks)
        const onOutput = toBoth(recorder, command)
        const running = await startProcess({ launch, onOutput, mark, graceMs: limits.graceMs })
        if (!inBackground) return { ...(await supervise(running, command)), ...recorder.recorded() }
        keep(command, running, recorder)
        const early = await Promise.race([running.ended, delay(limits.backgroundStartMs)])
        const end = early ?? { exitCode: null, signal: null }
        return { ...end, timedOut: false, aborted: false, ...recorder.recorded(), pid: running.pid }
      } finally {
        if (!inBackground) recorder.close("")
      }
    },
    async stopBackground(ownerId) {
      const owned = [...(background.get(ownerId) ?? [])]
      await Promise.all(
        owned.map(async (running) => {
          await running.stop()
          await running.ended
        }),
      )
      // Processes that another worker started for this owner, perhaps one that died.
      await stopProcesses({ name: markNames.owner, value: ownerId }, limits.graceMs)
    },
  }
}
