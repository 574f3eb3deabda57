import { errorMessage } from "../../domain/text/error-message.ts"
import { diagnoseDataDir, diagnoseDiskSpace } from "./diagnose-data-dir.ts"
import { diagnoseRunningServer, diagnoseTemporal } from "./diagnose-temporal.ts"
import type { Finding } from "./finding.ts"

/** A detected sandbox; the part of `Sandbox` that a diagnosis needs. */
export interface DetectedSandbox {
  readonly kind: string
  readonly confined: boolean
  /** Why no sandbox is available. */
  readonly reason?: string
  /** The unused backends, each with whether it would work. */
  readonly others?: readonly string[]
}

export interface DiagnoseOptions {
  /** Absolute path of a data directory that exists. */
  readonly dataDir: string
  readonly env: NodeJS.ProcessEnv
  readonly detectSandbox: () => DetectedSandbox | Promise<DetectedSandbox>
  /** Whether commands are refused if no sandbox is available; default: false. */
  readonly sandboxRequired?: boolean
  /** Names of the environment variables with keys that the configuration refers to, in addition to the standard ones. */
  readonly keyNames?: readonly string[]
  /** Timeout for the answer of an external server; default: 5 s. */
  readonly connectTimeoutMs?: number
}

/** Returns the findings that `adjutant doctor` prints. Starts nothing, changes nothing, never throws, and never returns the value of a key. */
export const diagnose = async (options: DiagnoseOptions): Promise<readonly Finding[]> => {
  const checks: readonly [name: string, check: () => Finding | Promise<Finding>][] = [
    ["node", diagnoseNode],
    ["temporal", () => diagnoseTemporal(options.env)],
    ["server", () => diagnoseRunningServer(options)],
    ["sandbox", () => diagnoseSandbox(options)],
    ["keys", () => diagnoseKeys(options)],
    ["data directory", () => diagnoseDataDir(options.dataDir)],
    ["disk space", () => diagnoseDiskSpace(options.dataDir)],
  ]
  return Promise.all(
    checks.map(async ([name, check]): Promise<Finding> => {
      try {
        return await check()
      } catch (error) {
        return { name, status: "fail", detail: errorMessage(error) }
      }
    }),
  )
}

const oldestNodeMajor = 24

const diagnoseNode = (): Finding => {
  const name = "node"
  const major = Number(process.versions.node.split(".")[0])
  const detail = `${process.version} at ${process.execPath}`
  return major >= oldestNodeMajor
    ? { name, status: "ok", detail }
    : { name, status: "fail", detail, hint: `use Node ${oldestNodeMajor} or later` }
}

const diagnoseSandbox = async ({ detectSandbox, sandboxRequired = false }: DiagnoseOptions): Promise<Finding> => {
  const name = "sandbox"
  const { kind, confined, reason, others = [] } = await detectSandbox()
  return confined
    ? { name, status: "ok", detail: [kind, ...others].join("; ") }
    : {
        name,
        status: sandboxRequired ? "fail" : "warn",
        detail: `commands of agents ${sandboxRequired ? "are refused" : "run without a sandbox"}${reason === undefined ? "" : `: ${reason}`}`,
        hint: "install bubblewrap and allow unprivileged user namespaces, or set security.sandboxBackends to another backend",
      }
}

const modelKeys = ["ANTHROPIC_API_KEY", "OPENAI_API_KEY", "LLM_API_KEY", "LIGHT_LLM_API_KEY"]

const diagnoseKeys = ({ env, keyNames = [] }: DiagnoseOptions): Finding => {
  const name = "keys"
  const names = [...new Set([...modelKeys, ...keyNames, "ADJUTANT_API_TOKEN"])]
  const present = names.filter((key) => (env[key] ?? "") !== "")
  const absent = keyNames.filter((key) => !present.includes(key))
  if (absent.length > 0) {
    return {
      name,
      status: "warn",
      detail: `not set: ${absent.join(", ")}`,
      hint: "set them, since the configuration refers to them",
    }
  }
  return present.some((key) => key !== "ADJUTANT_API_TOKEN")
    ? { name, status: "ok", detail: `set: ${present.join(", ")}` }
    : {
        name,
        status: "warn",
        detail: "no model key is set",
        hint: "set ANTHROPIC_API_KEY or OPENAI_API_KEY, or use a scripted model",
      }
}
