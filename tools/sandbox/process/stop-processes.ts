import { setTimeout as delay } from "node:timers/promises"
import { markedProcesses, signalProcess, type ProcessMark } from "./process-mark.ts"

/** A process that may still run, as those who stop it need it. */
export interface StoppableProcess {
  readonly pid: number
  /** True: SIGTERM may go to the group. False: the group is only a wrapper whose end kills what is inside at once. */
  readonly groupTakesSigterm: boolean
  readonly hasExited: () => boolean
}

const pollMs = 25
const maxKillRounds = 40

/** SIGKILL to everything that carries the mark, again until nothing new turns up. */
export const killMarked = async (mark: ProcessMark): Promise<void> => {
  for (let round = 0; round < maxKillRounds; round += 1) {
    const pids = await markedProcesses(mark)
    if (pids.length === 0) return
    for (const pid of pids) signalProcess(pid, "SIGKILL")
    await delay(pollMs)
  }
}

/** SIGTERM to everything that carries the mark and to the group, SIGKILL to what remains after `graceMs`. */
export const stopProcesses = async (mark: ProcessMark, graceMs: number, leader?: StoppableProcess): Promise<void> => {
  const isGone = (): boolean => leader === undefined || leader.hasExited()
  const terminateMarked = async (): Promise<boolean> => {
    const pids = await markedProcesses(mark)
    for (const pid of pids) signalProcess(pid, "SIGTERM")
    return pids.length > 0
  }
  let asked = await terminateMarked()
  // The group's id is certainly ours only as long as its leader has not been reaped.
  if (leader?.groupTakesSigterm && !isGone()) signalProcess(-leader.pid, "SIGTERM")
  const deadline = performance.now() + graceMs
  const remain = async (): Promise<boolean> => !isGone() || (await markedProcesses(mark)).length > 0
  while (performance.now() < deadline && (await remain())) {
    await delay(Math.min(pollMs, graceMs))
    // A command that was only just being started; later ones belong to a clean-up, which is let alone.
    asked ||= await terminateMarked()
  }
  if (leader !== undefined && !isGone()) signalProcess(-leader.pid, "SIGKILL")
  await killMarked(mark)
}
