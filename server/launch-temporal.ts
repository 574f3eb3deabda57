import { setTimeout as delay } from "node:timers/promises"
import { arePortsFree, choosePorts, type ServerPorts } from "./choose-ports.ts"
import type { KeeperOptions } from "./keeper-options.ts"
import { probeServer } from "./probe-server.ts"
import { isAlive } from "./process-identity.ts"
import { serverArguments } from "./server-arguments.ts"
import { readWhole, serverFiles, writeWhole } from "./server-files.ts"
import { isTemporalProcessRecord, type TemporalProcessRecord } from "./server-record.ts"
import { startTemporal, stopTemporal } from "./temporal-process.ts"

/** The namespace that the embedded server always has. */
export const embeddedNamespace = "default"

export const addressOf = ({ port }: ServerPorts): string => `127.0.0.1:${port}`

/** The server that an earlier keeper left running, where it still answers; one that does not is stopped. */
export const adoptTemporal = async (options: KeeperOptions): Promise<TemporalProcessRecord | undefined> => {
  const left = readWhole(serverFiles(options.dataDir).process, isTemporalProcessRecord)
  if (left === undefined || !isAlive(left)) return undefined
  if (await isReadyWithin(left, options.readyTimeoutMs)) return left
  await stopTemporal(left, options.stopGraceMs)
  return undefined
}

/** Starts a server on the ports of the previous one where they are free; throws where none becomes ready. */
export const launchTemporal = async (options: KeeperOptions): Promise<TemporalProcessRecord> => {
  const files = serverFiles(options.dataDir)
  const attempts = 3
  for (let attempt = 1; ; attempt += 1) {
    const previous = attempt === 1 ? readWhole(files.process, isTemporalProcessRecord) : undefined
    const started = await startOnce(options, await choosePorts(previous))
    if (await isReadyWithin(started, options.readyTimeoutMs)) return started
    const ended = !isAlive(started)
    await stopTemporal(started, options.stopGraceMs)
    // Another program may have taken a port between the choice and the start: other ports, then.
    if (attempt === attempts || !ended) {
      throw new Error(ended ? "the Temporal server ended before it was ready" : "the Temporal server did not get ready")
    }
  }
}

/** Starts a server in place of one that died, on the same ports: its users know no others. */
export const relaunchTemporal = async (
  options: KeeperOptions,
  died: TemporalProcessRecord,
): Promise<TemporalProcessRecord | undefined> => {
  if (!(await arePortsFree(died))) return undefined
  const started = await startOnce(options, died)
  if (await isReadyWithin(started, options.readyTimeoutMs)) return started
  await stopTemporal(started, options.stopGraceMs)
  return undefined
}

const startOnce = async (options: KeeperOptions, ports: ServerPorts): Promise<TemporalProcessRecord> => {
  const { program, synchronous, dataDir } = options
  const files = serverFiles(dataDir)
  const { port, uiPort } = ports
  const args = serverArguments({ port, uiPort, database: files.database, synchronous })
  const identity = startTemporal(program, args)
  const started = { ...identity, port, uiPort, program, synchronous, startedAt: new Date().toISOString() }
  writeWhole(files.process, started)
  return started
}

const isReadyWithin = async (started: TemporalProcessRecord, timeoutMs: number): Promise<boolean> => {
  const deadline = performance.now() + timeoutMs
  while (isAlive(started) && performance.now() < deadline) {
    if (await probeServer(addressOf(started), embeddedNamespace, 2_000)) return true
    await delay(25)
  }
  return false
}
