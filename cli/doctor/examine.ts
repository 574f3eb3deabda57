import type { LoadedConfig } from "../../config/loaded-config.ts"
import { diagnose } from "../../server/diagnose/diagnose.ts"
import type { Finding } from "../../server/diagnose/finding.ts"
import type { CliContext } from "../program/cli-context.ts"
import { errorMessage } from "../../domain/text/error-message.ts"
import { Interrupted, orInterrupted } from "../terminal/interrupts.ts"
import { loadHostConfig } from "../program/load-host-config.ts"
import { isAdjutantError } from "../../contracts/adjutant-error.ts"
import { codecProblem } from "../../config/codec-problem.ts"
import { referencedSecretNames } from "../../config/secrets/secrets.ts"
import { defaultRunProblem } from "../../sessions/settings/default-run-problem.ts"
import { otlpProblem, otlpProblems, otlpReceiver } from "../../domain/trace/otlp-receiver.ts"
import type { Environment } from "../../domain/environment.ts"
import { configuredProxies } from "../../network/proxy-for.ts"
import { examineEngine } from "./examine-engine.ts"
import { examineMcpServers } from "./examine-mcp-servers.ts"
import { examineModels } from "./examine-models.ts"
import { examinePrograms } from "./examine-programs.ts"
import { examineSchedules } from "./examine-schedules.ts"
import { examineDestination } from "../../sessions/notify/examine-destination.ts"
import { findService } from "../../service/ask-service.ts"
import { serviceFiles } from "../../service/service-files.ts"
import { diesAtStart } from "../../service/start-service.ts"
import { packageVersion } from "../../worker/package-version.ts"

interface ExamineOptions {
  /** Asks each configured model for one word, which costs money. */
  readonly asksModels?: boolean
  /** Measures the data directory, and counts what the store contains. */
  readonly measuresDisk?: boolean
}

/**
 * Returns the findings of `adjutant doctor`, that of the configuration first. If it cannot be read, nothing else is examined. Rejects with
 * `config_not_trusted`.
 */
export const examine = async (
  context: CliContext,
  { asksModels = false, measuresDisk = false }: ExamineOptions = {},
): Promise<readonly Finding[]> => {
  const { env } = context
  let loaded: LoadedConfig
  try {
    loaded = await loadHostConfig(context)
  } catch (error) {
    if (error instanceof Interrupted) throw error
    if (isAdjutantError(error) && error.code === "config_not_trusted") throw error
    const detail = error instanceof Error ? error.message : String(error)
    return [{ name: "configuration", status: "fail", detail, hint: "correct it, then run adjutant doctor again" }]
  }
  const { config, configPath, dataDir } = loaded
  const { surveySandboxes, sandboxSettingsOf } = await import("../../worker/detect-sandbox.ts")
  const modelProblem = defaultRunProblem(loaded, env)
  const findings = await diagnose({
    dataDir,
    env,
    detectSandbox: () => surveySandboxes(config.security.sandbox.mode, sandboxSettingsOf(config, { env, dataDir })),
    sandboxRequired: config.security.sandbox.mode === "require",
    isSandboxOff: config.security.sandbox.mode === "off",
    keyNames: [...referencedSecretNames(config, loaded.models)],
    ...(modelProblem === undefined ? {} : { modelProblem }),
  })
  const pins = await examineToolPins(dataDir)
  const detail = configPath ?? "no file; every setting has its default"
  const programs = examinePrograms(loaded, env)
  const notify = await examineNotify(loaded, env)
  const service = await examineService(dataDir)
  const engine = await examineEngine(loaded, env)
  const schedules = await examineSchedules(loaded, env)
  const proxies = examineProxies(env)
  const servers = await examineMcpServers(loaded, env)
  const { interrupts } = context
  const models = asksModels
    ? await orInterrupted(interrupts, examineModels(loaded, env, { signal: interrupts.signal }))
    : []
  const disk = measuresDisk ? await (await import("./examine-disk.ts")).examineDisk(loaded, env) : []
  return [
    { name: "configuration", status: "ok", detail },
    ...findings,
    ...disk,
    ...examineCodec(env),
    ...examineTelemetry(env),
    ...proxies,
    ...models,
    ...programs,
    ...servers,
    ...notify,
    ...pins,
    ...service,
    ...engine,
    ...schedules,
  ]
}

/** Asks the service of each destination of `notify` what it lacks, without sending a message; nothing if none is configured. */
const examineNotify = async ({ config }: Pick<LoadedConfig, "config">, env: Environment): Promise<readonly Finding[]> =>
  await Promise.all(
    Object.entries(config.notify).map(async ([name, destination]): Promise<Finding> => {
      const hint = `correct notify.${name}, then run "adjutant notify test ${name}"`
      try {
        const problem = await examineDestination(destination, env)
        return problem === undefined
          ? { name: "notify", status: "ok", detail: `${name} (${destination.type})` }
          : { name: "notify", status: "warn", detail: `${name}: ${problem}`, hint }
      } catch {
        return { name: "notify", status: "warn", detail: `${name}: its service could not be reached`, hint }
      }
    }),
  )

/** Returns the state of the service of a data directory. Starts none. */
const examineService = async (dataDir: string): Promise<readonly Finding[]> => {
  const name = "service"
  const found = await findService(dataDir)
  if (found === undefined) {
    if (!diesAtStart(dataDir))
      return [{ name, status: "ok", detail: "not running; the first command that leaves work to it starts it" }]
    const { log } = serviceFiles(dataDir)
    return [{ name, status: "fail", detail: "it ended several times within a minute", hint: `read ${log}` }]
  }
  const { pid, version, kind, url } = found.status
  const detail = `running (pid ${pid}, version ${version}, ${kind}) ${url === null ? "on its socket only" : `at ${url}`}`
  if (version === packageVersion()) return [{ name, status: "ok", detail }]
  return [{ name, status: "warn", detail, hint: `this is version ${packageVersion()}: run adjutant service stop` }]
}

/** Returns whether the environment names a codec server, which is not used; nothing if it names none. */
export const examineCodec = (env: Environment): readonly Finding[] => {
  const detail = codecProblem(env)
  const hint = "unset the variables; adjutant serve has a codec endpoint for the Temporal UI (encryption.codecTokenEnv)"
  return detail === undefined ? [] : [{ name: "payloads", status: "warn", detail, hint }]
}

/** Returns which data of OpenTelemetry is sent, and what is not although a receiver is named; nothing if none is. */
export const examineTelemetry = (env: Environment): readonly Finding[] => {
  const name = "telemetry"
  const problems = otlpProblems(env).map((detail): Finding => ({ name, status: "warn", detail }))
  const sent = (["traces", "metrics", "logs"] as const).filter(
    (signal) => otlpReceiver(env, signal) !== undefined && otlpProblem(env, signal) === undefined,
  )
  return sent.length === 0 ? problems : [{ name, status: "ok", detail: `sent: ${sent.join(", ")}` }, ...problems]
}

/** Returns the proxies in use, without their credentials; nothing if there are none. */
export const examineProxies = (env: Environment): readonly Finding[] => {
  const name = "proxies"
  try {
    const proxies = configuredProxies(env)
    if (proxies.length === 0) return []
    const direct = env.no_proxy ?? env.NO_PROXY
    const detail = proxies.map((proxy) => `${proxy.name}: ${proxy.origin}`).join("; ")
    return [{ name, status: "ok", detail: `${detail}; without a proxy: loopback${direct ? `, ${direct}` : ""}` }]
  } catch (error) {
    return [{ name, status: "fail", detail: errorMessage(error), hint: "correct the environment variable" }]
  }
}

/** Returns which MCP servers listed other tools than those that were pinned; nothing if none is pinned. */
const examineToolPins = async (dataDir: string): Promise<readonly Finding[]> => {
  const name = "mcp tools"
  const { listToolPins } = await import("../../worker/probe/tool-pins.ts")
  try {
    const pinned = await listToolPins(dataDir)
    if (pinned.length === 0) return []
    const differing = pinned.filter(({ warning }) => warning !== undefined)
    if (differing.length === 0)
      return [{ name, status: "ok", detail: `as pinned: ${pinned.map(({ server }) => server).join(", ")}` }]
    return differing.map(({ server, warning }) => ({
      name,
      status: "warn",
      detail: warning?.message ?? "",
      hint: `look at what the server offers now; if you accept it, run "adjutant trust --mcp-tools ${server}"`,
    }))
  } catch (error) {
    return [{ name, status: "fail", detail: errorMessage(error) }]
  }
}
