import { mkdir } from "node:fs/promises"
import { join } from "node:path"
import { choosePort } from "../../../server/exposure/choose-ports.ts"
import { ensureTemporalProgram } from "../../../server/program/ensure-temporal-program.ts"
import {
  findPostgresPrograms,
  type PrivatePostgres,
  startPrivatePostgres,
} from "../../../scripts/cluster/private-postgres.ts"
import type { Random } from "../random.ts"
import { type EngineProcess, startEngineProcess } from "./engine-process.ts"
import { type Ground, isReady, openGround, untilServes } from "./open-ground.ts"
import type { SupervisedProcess } from "./supervised-process.ts"
import { startTcpProxy, type TcpProxy } from "./tcp-proxy.ts"
import type { World } from "./world.ts"

/** Workers and HTTP servers with an engine of their own. */
export interface ClusterWorld extends World, Pick<Ground, "hasOwnDisk"> {
  readonly engine: EngineProcess
  /** An engine without any data. */
  readonly emptyEngine: EngineProcess
  /** The server of the store; undefined if the store is an SQLite file. */
  readonly postgres: PrivatePostgres | undefined
  readonly proxy: TcpProxy
  /** Between the processes and PostgreSQL. */
  readonly storeProxy: TcpProxy | undefined
  readonly workers: readonly [SupervisedProcess, ...SupervisedProcess[]]
  readonly servers: readonly [SupervisedProcess, ...SupervisedProcess[]]
}

export type ChaosStore = "sqlite" | "postgres"

const startPostgres = async (): Promise<PrivatePostgres> => {
  const programs = await findPostgresPrograms()
  if (programs === undefined) throw new Error("there are no PostgreSQL programs under /usr/lib/postgresql")
  return await startPrivatePostgres(programs)
}

const throughProxy = (url: string, { address }: TcpProxy): string => {
  const through = new URL(url)
  through.host = address
  return through.toString()
}

/** Starts an engine behind a proxy, two workers, two HTTP servers, a model and a receiver of webhooks. */
export const openWorld = async (random: Random, store: ChaosStore): Promise<ClusterWorld> => {
  const ground = await openGround(random, true)
  const { folder, dataDir } = ground
  const engines = join(folder, "engines")
  await mkdir(engines, { mode: 0o700 })
  const { path } = await ensureTemporalProgram({ env: process.env, onProgress: console.error })
  const postgres = store === "postgres" ? await startPostgres() : undefined
  const storeProxy = postgres === undefined ? undefined : await startTcpProxy(postgres.port)
  const directUrl = postgres?.url("postgres") ?? "sqlite:"
  await ground.configure(storeProxy === undefined ? directUrl : throughProxy(directUrl, storeProxy))
  const engine = await startEngineProcess(path, join(engines, "engine.db"))
  const emptyEngine = await startEngineProcess(path, join(engines, "empty.db"))
  const proxy = await startTcpProxy(engine.port)
  const env = { TEMPORAL_ADDRESS: proxy.address }
  const workers = [ground.start("worker 1", env, "worker"), ground.start("worker 2", env, "worker")] as const
  const ports = [await choosePort(undefined), await choosePort(undefined)] as const
  const serve = (index: 0 | 1) => ground.start(`server ${index + 1}`, env, "serve", "--port", String(ports[index]))
  const servers = [serve(0), serve(1)] as const
  const urls = [`http://127.0.0.1:${ports[0]}`, `http://127.0.0.1:${ports[1]}`] as const
  const close: World["close"] = async (options) => {
    await Promise.all([...workers, ...servers].map((supervised) => supervised.stop()))
    await Promise.all([engine.kill(), emptyEngine.kill(), proxy.close()])
    await storeProxy?.close()
    await postgres?.stop()
    await ground.close(options)
  }
  // Before that, the store would belong to whichever engine answers first.
  await untilServes(async () => (await Promise.all(urls.map(isReady))).every(Boolean), close)
  return {
    ...ground,
    ...{ engine, emptyEngine, postgres, proxy, storeProxy, workers, servers, urls, close },
    store: { url: directUrl, dataDir },
    engineAddress: () => proxy.address,
  }
}
