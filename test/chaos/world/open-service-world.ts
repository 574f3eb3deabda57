import { isServerRecord, type ServerRecord } from "../../../server/keeper/server-record.ts"
import { readWhole, serverFiles } from "../../../server/process/server-files.ts"
import { findService } from "../../../service/ask-service.ts"
import { eventually } from "../../helpers/eventually.ts"
import type { Random } from "../random.ts"
import { isReady, openGround, untilServes } from "./open-ground.ts"
import type { SupervisedProcess } from "./supervised-process.ts"
import type { World } from "./world.ts"

/** One service with its embedded Temporal server, as on a laptop: the process of the service, the keeper of the server, and the server. */
export interface ServiceWorld extends World {
  readonly service: SupervisedProcess
  /** Sends a signal to the process that keeps the Temporal server running; false if there is none just now. */
  signalKeeper(signal: NodeJS.Signals): boolean
  /** Sends a signal to the Temporal server; false if there is none just now. */
  signalTemporal(signal: NodeJS.Signals): boolean
}

const sent = (pid: number | undefined, signal: NodeJS.Signals): boolean => {
  try {
    return pid !== undefined && process.kill(pid, signal)
  } catch {
    return false
  }
}

/** Starts a service as an init system does, with a model and a receiver of webhooks. */
export const openServiceWorld = async (random: Random): Promise<ServiceWorld> => {
  const ground = await openGround(random, false)
  const { dataDir } = ground
  await ground.configure("sqlite:")
  const service = ground.start("service", { TEMPORAL_CONFIG_FILE: "/nowhere/temporal.toml" }, "service", "run")
  let last: ServerRecord | undefined
  /** The last record of the server: it is missing while the server is not ready. */
  const server = (): ServerRecord | undefined => (last = readWhole(serverFiles(dataDir).record, isServerRecord) ?? last)
  const urls: [string] = [""]
  const lookUp = async (): Promise<string> => (urls[0] = (await findService(dataDir))?.status.url ?? urls[0])
  const serves = async (): Promise<boolean> => (await lookUp()) !== "" && (await isReady(urls[0]))
  // A service that was killed has another port if its own was taken meanwhile.
  const follow = setInterval(() => void lookUp().catch(() => undefined), 1_000)
  const close: World["close"] = async (options) => {
    clearInterval(follow)
    await service.stop()
    // Without a user, the keeper ends the server soon, and then itself.
    const ended = eventually(() => !sent(last?.keeperPid, "SIGCONT"), { timeoutMs: 60_000 })
    await ended.catch(() => sent(last?.keeperPid, "SIGKILL"))
    await ground.close(options)
  }
  await untilServes(serves, close)
  return {
    ...ground,
    service,
    store: { url: "sqlite:", dataDir },
    urls,
    engineAddress: () => server()?.address ?? "",
    signalKeeper: (signal) => sent(server()?.keeperPid, signal),
    signalTemporal: (signal) => sent(server()?.pid, signal),
    close,
  }
}
