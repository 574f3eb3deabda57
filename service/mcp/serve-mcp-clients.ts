import { realpathSync } from "node:fs"
import type { Duplex } from "node:stream"
import type { AdjutantClient } from "../../client/create-client.ts"
import { travellingVariables } from "../../config/travelling-variables.ts"
import { createSecretRedact } from "../../config/secrets/secrets.ts"
import { AdjutantError, isAdjutantError } from "../../contracts/adjutant-error.ts"
import { delegationTools } from "../../contracts/delegation/delegation-tools.ts"
import { type McpHello, mcpHelloSchema, type McpWelcome } from "../../contracts/service/mcp-connection.ts"
import { serviceApi } from "../../contracts/service/service-status.ts"
import { stdioCallerId } from "../../domain/caller/caller-id.ts"
import type { Engine, EngineAccess } from "../../mcp/engine-access.ts"
import type { McpLogger } from "../../mcp/mcp-context.ts"
import { splitLines } from "../../mcp/transport/split-lines.ts"
import { serveMcpOverStdio, type StdioService } from "../../mcp/serve-mcp-over-stdio.ts"
import type { SpawnCall } from "../../sessions/spawn/spawn-request.ts"
import type { Store } from "../../store/store.ts"
import { packageVersion } from "../../worker/package-version.ts"
import { otherVersion } from "../ask-service.ts"
import { endsWithLastCommand } from "../idle.ts"
import { readBrought, type ServiceSurroundings, type TreeReading, type TreeRegistry } from "../tree-registry.ts"
import { bringingClient } from "./bringing-client.ts"

/** What the calls of MCP clients need. */
export interface McpParts {
  readonly store: Store
  readonly trees: Pick<TreeRegistry, "register" | "readOf">
  clientOf(reading: TreeReading): AdjutantClient
}

export interface McpClientsOptions extends ServiceSurroundings {
  readonly logger: McpLogger
}

/** The MCP clients of a service, whose messages `adjutant mcp` passes on. They can connect at once; their calls wait until store and Temporal are open. */
export interface McpClients {
  /** Serves a connection that has changed to MCP. */
  serve(stream: Duplex): void
  /** Shows a line of the start to calls that wait for it. */
  progress(line: string): void
  /** From now on, calls are carried out. */
  open(parts: McpParts): void
  /** Ends every connection. */
  close(): Promise<void>
}

const starts: readonly string[] = [
  "Task",
  "dynamic_subagent_task",
  "run_command_task",
  "sessions_spawn",
] satisfies readonly SpawnCall["tool"][]

/** Tools that can be called again if the answer was lost. A repeated start returns the task that the first call has started. */
const repeatable = delegationTools
  .filter(({ readOnly, idempotent, name }) => readOnly || idempotent || starts.includes(name))
  .map(({ name }) => name)

const parseHello = (line: string, dataDir: string): McpHello => {
  const { data, success } = mcpHelloSchema.safeParse(parseJson(line))
  if (!success) throw new AdjutantError("invalid_argument", "this service expects another first line of an MCP client")
  if (data.api !== serviceApi)
    throw otherVersion(dataDir, { pid: process.pid, version: packageVersion(), api: serviceApi }, data)
  return data
}

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Refuses tools that change profiles where no profile could be changed. */
const requireStoreProfiles = ({ toolsets, no_approve }: McpHello, { loaded }: Pick<TreeReading, "loaded">): void => {
  if (!toolsets.includes("profiles")) return
  if (loaded.config.profiles.source !== "store")
    throw new AdjutantError(
      "invalid_argument",
      "--toolsets profiles has no effect here: set profiles.source to store in the configuration file",
    )
  if (no_approve)
    throw new AdjutantError(
      "invalid_argument",
      "--toolsets profiles requires a client that may do everything: omit --no-approve",
    )
}

/** A client that has said what it needs. */
interface Greeted {
  readonly hello: McpHello
  readonly reading: TreeReading
}

const temporalOf = ({ env }: McpHello): string | null => env["TEMPORAL_ADDRESS"] ?? null

/** Returns what the calls of one client use. Each start and each message registers its tree again, so that a changed configuration counts. */
const engineOfClient = ({ store, trees, clientOf }: McpParts, { hello, reading }: Greeted): Engine => {
  const { cwd, config_path, is_trusted, env } = hello
  const bring = (rootId: string | null): Promise<string> =>
    trees.register({
      ...{ root_id: rootId, cwd, config_path, is_trusted, env: travellingVariables(reading.loaded, env) },
      ...{ needs_keys: false, is_followed: false, temporal_address: temporalOf(hello) },
    })
  return { store, client: bringingClient({ client: clientOf(reading), bring, trees, clientOf }) }
}

/** What calls wait for while the service starts. */
const createOpening = () => {
  const listeners = new Set<(line: string) => void>()
  const opened = Promise.withResolvers<McpParts>()
  let parts: McpParts | undefined
  let line: string | undefined
  return {
    accessOf: (greeted: Greeted): EngineAccess => {
      let engine: Engine | undefined
      return {
        current: () => (parts === undefined ? undefined : (engine ??= engineOfClient(parts, greeted))),
        open: async () => (engine ??= engineOfClient(await opened.promise, greeted)),
        progress: () => line,
        follow: (listener) => {
          listeners.add(listener)
          return () => listeners.delete(listener)
        },
      }
    },
    progress: (text: string): void => {
      line = text
      for (const listener of listeners) listener(text)
    },
    open: (ready: McpParts): void => {
      parts = ready
      line = undefined
      opened.resolve(ready)
    },
  }
}

/** Speaks MCP with a client that has said what it needs. */
const speak = (
  stream: Duplex,
  input: AsyncIterable<Buffer>,
  { hello, reading, engine, logger }: Greeted & { readonly engine: EngineAccess; readonly logger: McpLogger },
): StdioService => {
  const { loaded, redact } = reading
  const answerMs = hello.answer_within_seconds === null ? undefined : hello.answer_within_seconds * 1_000
  return serveMcpOverStdio(
    {
      ...{ engine, loaded, redact, logger, toolsets: hello.toolsets, noApprove: hello.no_approve },
      caller: stdioCallerId(realpathSync(loaded.projectRoot), hello.caller),
      allSessions: hello.all_sessions,
      cwd: hello.directory,
      version: packageVersion(),
      ...(answerMs === undefined ? {} : { answerLimits: { plainMs: answerMs, progressMs: answerMs } }),
    },
    { input, write: (text) => stream.write(text) },
  )
}

export const createMcpClients = (options: McpClientsOptions): McpClients => {
  const { logger } = options
  const connections = new Set<StdioService>()
  const opening = createOpening()
  const greet = async (first: string): Promise<Greeted> => {
    const hello = parseHello(first, options.dataDir)
    const read = await readBrought({ ...hello, temporal_address: temporalOf(hello) }, options)
    const reading = { ...read, redact: createSecretRedact(read.loaded, read.env) }
    requireStoreProfiles(hello, reading)
    return { hello, reading }
  }
  const serve = async (stream: Duplex): Promise<void> => {
    const welcome = (answer: McpWelcome): void => void stream.write(`${JSON.stringify(answer)}\n`)
    const lines = splitLines(stream)
    try {
      const { value: first } = await lines.next()
      const greeted = await greet(first?.toString("utf8") ?? "")
      const { reading, hello } = greeted
      welcome({ repeatable, ends_with_last: endsWithLastCommand(reading.loaded.config, hello.env) })
      const service = speak(stream, lines, { ...greeted, logger, engine: opening.accessOf(greeted) })
      connections.add(service)
      await service.ended
      connections.delete(service)
      await service.close()
    } catch (error) {
      if (!isAdjutantError(error)) throw error
      welcome({ code: error.code, error: error.message })
    }
  }
  return {
    serve: (stream) => {
      stream.on("error", () => undefined)
      serve(stream)
        .catch((error: unknown) => logger.error({ err: error }, "an MCP connection failed"))
        .finally(() => stream.end())
    },
    progress: opening.progress,
    open: opening.open,
    close: async () => {
      await Promise.all([...connections].map((each) => each.close()))
    },
  }
}
