import { existsSync } from "node:fs"
import { realpath } from "node:fs/promises"
import path from "node:path"
import { loadConfig } from "../../config/load-config.ts"
import type { LoadedConfig } from "../../config/loaded-config.ts"
import type { Toolset } from "../../mcp/mcp-context.ts"
import { serveMcpOverStdio } from "../../mcp/transport/serve-mcp-over-stdio.ts"
import { inRunVariable, stdioCallerId } from "../../domain/caller/caller-id.ts"
import { storeLocation } from "../../store/store-location.ts"
import type { CliContext } from "../program/cli-context.ts"
import { trustOptions } from "../trust/trust-options.ts"
import { packageVersion } from "../../worker/package-version.ts"
import { createRedactingLogger } from "../program/redacting-logger.ts"
import { wrongUsage } from "../wrong-usage.ts"
import { untilInterrupted } from "../host/interrupts.ts"
import { createLazyEngine } from "./lazy-engine.ts"
import { whenQuiet } from "./when-quiet.ts"

export interface McpFlags {
  readonly toolsets: readonly Toolset[]
  readonly approve: boolean
  readonly cwd?: string
  /** Distinguishes the clients of one project. */
  readonly caller: string
  /** Whether the client reaches sessions that it did not start. */
  readonly allSessions?: boolean
  /** Seconds. */
  readonly startWait: number
}

/** After its first requests, a client is quiet until a person uses it. */
const quietMs = 2_000

/**
 * Serves one client until it disconnects. The first call that needs server, store and service starts them. If a store exists, whose sessions may wait for a
 * worker, they are started after the first requests of the client. The service does the work, and continues when the client disconnects.
 */
export const serveClient = async ({ io, env, cwd, options, interrupts, openHost }: CliContext, flags: McpFlags) => {
  // Nobody is asked: the client speaks on the terminal's stdin.
  const trust = trustOptions({ options })
  const loaded = await loadConfig({ cwd, env, configPath: options.config, dataDir: options.dataDir, trust })
  if (flags.toolsets.includes("profiles")) requireStoreProfiles(loaded, flags)
  const { logger, redact } = createRedactingLogger({ io, env, options }, loaded, { daemon: true })
  const engine = createLazyEngine(
    (start) => openHost({ worksHere: true, daemon: true, ...start }),
    flags.startWait * 1_000,
  )
  const inBackground = whenQuiet(quietMs, () => {
    if (!hasStore(loaded)) return false
    engine.open().catch((error: unknown) => logger.warn({ err: error }, "the engine did not start"))
    return true
  })
  const service = serveMcpOverStdio(
    {
      engine,
      loaded,
      toolsets: flags.toolsets,
      noApprove: !flags.approve || env[inRunVariable] !== undefined,
      logger,
      caller: stdioCallerId(await realpath(loaded.projectRoot), flags.caller),
      allSessions: flags.allSessions ?? false,
      cwd: path.resolve(cwd, flags.cwd ?? "."),
      redact,
      version: packageVersion(),
    },
    {
      input: io.stdin,
      write: (text) => {
        io.stdout.write(text)
        inBackground.happened()
      },
    },
  )
  try {
    await Promise.race([service.ended, untilInterrupted(interrupts)])
  } finally {
    inBackground.cancel()
    await service.close()
    await engine.close()
  }
}

/** Refuses tools that change profiles where no profile could be changed. */
const requireStoreProfiles = ({ config }: LoadedConfig, { approve }: McpFlags): void => {
  if (config.profiles.source !== "store")
    throw wrongUsage("--toolsets profiles has no effect here: set profiles.source to store in the configuration file")
  if (!approve) throw wrongUsage("--toolsets profiles requires a client that may do everything: omit --no-approve")
}

const hasStore = ({ config, dataDir }: LoadedConfig): boolean => {
  const location = storeLocation(config.store.url, dataDir)
  return location.kind === "postgres" || existsSync(location.path)
}
