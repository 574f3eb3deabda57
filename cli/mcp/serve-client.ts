import { randomUUID } from "node:crypto"
import path from "node:path"
import { setTimeout as delay } from "node:timers/promises"
import { chooseDataDir } from "../../config/data-dir/choose-data-dir.ts"
import { AdjutantError, isAdjutantError } from "../../contracts/adjutant-error.ts"
import type { McpHello, Toolset } from "../../contracts/service/mcp-connection.ts"
import { serviceApi } from "../../contracts/service/service-status.ts"
import { inRunVariable } from "../../domain/caller/caller-id.ts"
import { isOutdated, readAddress } from "../../service/ask-service.ts"
import { endIfLast } from "../../service/end-if-last.ts"
import { wasStopped } from "../../service/hold-service.ts"
import { connectMcp, type McpConnection } from "../../service/mcp/connect-mcp.ts"
import { givenVariables } from "../../service/read-service-start.ts"
import { longestMessage, splitLines } from "../../mcp/transport/split-lines.ts"
import { packageVersion } from "../../worker/package-version.ts"
import { untilInterrupted } from "../terminal/interrupts.ts"
import type { CliContext } from "../program/cli-context.ts"
import { placeOfCommand, startServiceFor } from "../service/start-service-for.ts"
import { createRelay } from "./relay.ts"

export interface McpFlags {
  readonly toolsets: readonly Toolset[]
  readonly approve: boolean
  readonly cwd?: string
  /** Distinguishes the clients of one project. */
  readonly caller: string
  /** Whether the client reaches sessions that it did not start. */
  readonly allSessions?: boolean
  /** Seconds. */
  readonly answerWithin?: number
}

const helloOf = (context: CliContext, flags: McpFlags): McpHello => ({
  ...{ api: serviceApi, version: packageVersion(), toolsets: [...flags.toolsets] },
  ...placeOfCommand(context),
  env: givenVariables(context.env),
  no_approve: !flags.approve || context.env[inRunVariable] !== undefined,
  caller: flags.caller,
  all_sessions: flags.allSessions ?? false,
  directory: path.resolve(context.cwd, flags.cwd ?? "."),
  answer_within_seconds: flags.answerWithin ?? null,
})

const retryConnectMs = 25

/** Returns a function that connects to the service, and starts it if none listens. After a person has stopped it, only the first call starts one. */
const connector = (context: CliContext, { dataDir, hello, command }: Target) => {
  let starting: Promise<unknown> | undefined
  let isFirst = true
  /** The service of an older build, which hands over. */
  let outdated: number | undefined
  /** Undefined if no service listens. */
  const tryConnect = async (): Promise<McpConnection | undefined> => {
    const address = readAddress(dataDir)
    if (address === undefined || address.pid === outdated) return undefined
    try {
      return await connectMcp(address.socket, hello, command)
    } catch (error) {
      if (isAdjutantError(error)) throw error
      return undefined
    }
  }
  const start = (): Promise<never> => {
    // A start that failed is not kept: the next call tries again.
    starting ??= startServiceFor(context, dataDir).finally(() => (starting = undefined))
    return starting.then(() => new Promise<never>(() => undefined))
  }
  return async (): Promise<McpConnection> => {
    // A service that was lost while it started: its start says why.
    await starting
    const address = readAddress(dataDir)
    outdated = address !== undefined && isOutdated(address) ? address.pid : undefined
    const running = await tryConnect()
    const isNew = isFirst
    isFirst = false
    if (running !== undefined) return running
    if (!isNew && wasStopped(dataDir))
      throw new AdjutantError(
        "service_stopped",
        `the service of ${dataDir} was stopped: adjutant service start starts it again`,
      )
    const failed = start()
    for (;;) {
      await Promise.race([delay(retryConnectMs), failed])
      const started = await tryConnect()
      if (started === undefined) continue
      failed.catch(() => undefined)
      return started
    }
  }
}

interface Target {
  readonly dataDir: string
  readonly hello: McpHello
  /** The id with which this process sends its requests. */
  readonly command: string
}

/** Says what is wrong with the configuration, if no service can use it: the service's own log says it, too. */
const explainStart = async ({ cwd, env, options }: CliContext, error: unknown): Promise<never> => {
  const [{ loadConfig }, { trustOptions }] = await Promise.all([
    import("../../config/load-config.ts"),
    import("../program/trust-options.ts"),
  ])
  // Nobody is asked: the client speaks on the terminal's stdin.
  await loadConfig({ cwd, env, configPath: options.config, dataDir: options.dataDir, trust: trustOptions({ options }) })
  throw error
}

/**
 * Serves one client until it disconnects: passes its messages to the service, which does the work, and continues when the client disconnects. What
 * the work needs is not loaded here.
 */
export const serveClient = async (context: CliContext, flags: McpFlags): Promise<void> => {
  const { io, env, cwd, options, interrupts } = context
  const dataDir = await chooseDataDir({ cwd, env, dataDir: options.dataDir })
  const target = { dataDir, hello: helloOf(context, flags), command: randomUUID() }
  const connect = connector(context, target)
  let endsWithLast = false
  const relay = createRelay({
    connect: async () => {
      const connection = await connect()
      endsWithLast = connection.ends_with_last
      return connection
    },
    write: (line) => void io.stdout.write(line),
  })
  const taken = async (): Promise<void> => {
    for await (const line of splitLines(io.stdin)) {
      if (line.length > longestMessage) return
      relay.take(line.toString("utf8"))
    }
  }
  const opening = relay.open().catch((error: unknown) => explainStart(context, error))
  try {
    await Promise.race([Promise.all([taken(), opening]), untilInterrupted(interrupts)])
  } finally {
    relay.close()
    const address = endsWithLast ? readAddress(dataDir) : undefined
    if (address !== undefined) await endIfLast(dataDir, { socket: address.socket, command: target.command })
  }
}
