import { setTimeout as delay } from "node:timers/promises"
import { systemCode } from "../../../domain/text/error-message.ts"
import { markedProcesses, signalPid, type ProcessMark } from "./process-mark.ts"

/** What stopping a process needs to know about it. */
export interface StoppableProcess {
  readonly pid: number
  /** Whether SIGTERM is sent to the group. False if the group is a wrapper whose end immediately kills what is inside. */
  readonly groupTakesSigterm: boolean
  readonly hasExited: () => boolean
  /** Lets the guard kill what has left the group: see `guardedByLifeline`. */
  readonly cutLifeline?: () => void
}

const pollMs = 25
const maxKillRounds = 40

const hasProcesses = (group: number): boolean => {
  try {
    return process.kill(-group, 0)
  } catch (error) {
    return systemCode(error) === "EPERM"
  }
}

/**
 * Waits until a process group is empty. The first process of a sandbox belongs to it and ends after all others: if the program that started the sandbox
 * was killed, they may still be ending.
 */
export const groupEnd = async (group: number): Promise<void> => {
  for (let round = 0; round < maxKillRounds && hasProcesses(group); round += 1) await delay(pollMs)
}

/** Sends SIGKILL to every process with the mark, and repeats until none is found. */
export const killMarked = async (mark: ProcessMark): Promise<void> => {
  for (let round = 0; round < maxKillRounds; round += 1) {
    const pids = await markedProcesses(mark)
    if (pids.length === 0) return
    for (const pid of pids) signalPid(pid, "SIGKILL")
    await delay(pollMs)
  }
}

/** Sends SIGTERM to every process with the mark and to the group, then SIGKILL to those that remain after `graceMs`. */
export const stopProcesses = async (mark: ProcessMark, graceMs: number, leader?: StoppableProcess): Promise<void> => {
  const isGone = (): boolean => leader === undefined || leader.hasExited()
  const terminateMarked = async (): Promise<boolean> => {
    const pids = await markedProcesses(mark)
    for (const pid of pids) signalPid(pid, "SIGTERM")
    return pids.length > 0
  }
  let asked = await terminateMarked()
  // The id of the group may be reused once its leader has been reaped.
  if (leader?.groupTakesSigterm && !isGone()) signalPid(-leader.pid, "SIGTERM")
  const deadline = performance.now() + graceMs
  const remain = async (): Promise<boolean> => !isGone() || (await markedProcesses(mark)).length > 0
  while (performance.now() < deadline && (await remain())) {
    await delay(Math.min(pollMs, graceMs))
    // For a command that was still starting. Later processes belong to a clean-up, which is not stopped.
    asked ||= await terminateMarked()
  }
  if (leader !== undefined && !isGone()) {
    leader.cutLifeline?.()
    signalPid(-leader.pid, "SIGKILL")
  }
  await killMarked(mark)
}
