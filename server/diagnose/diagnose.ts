import { errorMessage } from "../../domain/text/error-message.ts"
import { diagnoseKeys, type KeysQuestion } from "./diagnose-keys.ts"
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
  /** What commands see besides the system and their working directory. */
  readonly view?:
    | {
        readonly readOnly: readonly string[]
        readonly writable: readonly string[]
        readonly refused: readonly { readonly path: string; readonly why: string }[]
        readonly layer?: { readonly path: string }
      }
    | undefined
}

export interface DiagnoseOptions extends KeysQuestion {
  /** Absolute path of a data directory that exists. */
  readonly dataDir: string
  readonly detectSandbox: () => DetectedSandbox | Promise<DetectedSandbox>
  /** Whether commands are refused if no sandbox is available; default: false. */
  readonly sandboxRequired?: boolean
  /** Whether the configuration switches the sandbox off; default: false. */
  readonly isSandboxOff?: boolean
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

const viewTexts = (view: DetectedSandbox["view"]): readonly string[] => {
  if (view === undefined) return []
  const { readOnly, writable, layer } = view
  return [
    ...(readOnly.length === 0 ? [] : [`commands can read ${readOnly.join(", ")}`]),
    ...(writable.length === 0 ? [] : [`and write ${writable.join(", ")}`]),
    ...(layer === undefined ? [] : [`downloads of package managers are in ${layer.path}`]),
  ]
}

/** Warns about paths of `security.sandbox` that are not shown. */
const viewFinding = (view: DetectedSandbox["view"]): Pick<Finding, "status" | "hint"> => {
  const [first] = view?.refused ?? []
  return first === undefined
    ? { status: "ok" }
    : { status: "warn", hint: `security.sandbox names ${first.path}, which is not shown: ${first.why}` }
}

const diagnoseSandbox = async (options: DiagnoseOptions): Promise<Finding> => {
  const { detectSandbox, sandboxRequired = false, isSandboxOff = false } = options
  const name = "sandbox"
  if (isSandboxOff) return { name, status: "ok", detail: "off, as security.sandbox says: commands are not confined" }
  const { kind, confined, reason, others = [], view } = await detectSandbox()
  return confined
    ? { name, ...viewFinding(view), detail: [kind, ...others, ...viewTexts(view)].join("; ") }
    : {
        name,
        status: sandboxRequired ? "fail" : "warn",
        detail: `commands of agents ${sandboxRequired ? "are refused" : "run without a sandbox"}${reason === undefined ? "" : `: ${reason}`}`,
        hint: "install bubblewrap and allow unprivileged user namespaces, or set security.sandboxBackends to another backend",
      }
}
