import type { SandboxBackend } from "../../contracts/config/sandbox-settings.ts"
import { errorMessage } from "../../domain/text/error-message.ts"
import { findCgroupParent } from "./cgroup/cgroup-parent.ts"
import { createBubblewrap, type BubblewrapOptions } from "./bubblewrap/bubblewrap.ts"
import { createDocker, dockerFailure } from "./docker/docker.ts"
import { closedPaths } from "./masked-paths.ts"
import type { ResourceLimits } from "./process/resource-limits.ts"
import type { ProcessLimits } from "./process/run-process.ts"
import { createSandboxRuntime } from "./runtime/sandbox-runtime.ts"
import type { Sandbox } from "./sandbox.ts"
import { resolveView, type ViewSettings } from "./view/sandbox-view.ts"
import { trialFailure, firstExecutable, usualPaths } from "./try-sandbox.ts"

export interface TryOptions {
  /** Absolute paths at which to look for `bwrap` (default: where systems install it). */
  readonly programs?: readonly string[]
  /** The same for `socat`, which sandbox-runtime needs if hosts are allowed. */
  readonly relayPrograms?: readonly string[]
  /** Hosts that commands can reach (default: none). Only sandbox-runtime supports single hosts. */
  readonly allowedDomains?: readonly string[]
  /** The image in which docker runs commands. */
  readonly dockerImage?: string
  /** Absolute path of `docker` (default: the first of the usual paths). */
  readonly dockerProgram?: string
  /** Whether confined commands can use the network (default: false). */
  readonly network?: boolean
  readonly readOnlyPaths?: readonly string[]
  /** What the configuration shows to commands (default: nothing more). With docker, commands see what the image has. */
  readonly view?: ViewSettings
  readonly limits?: ProcessLimits
  /** What one confined command can use. */
  readonly resources?: ResourceLimits
  /** Time limit of the trial, in milliseconds (default: 10 s). */
  readonly trialTimeoutMs?: number
}

/** A sandbox that was tried and works, or the reason why it does not. */
export type Trial = Sandbox | string

const defaultTrialMs = 10_000
const missingBubblewrap = "is not installed (the program bwrap, package bubblewrap)"

/** Tries a sandbox a second time if its trial fails: that can also happen because the machine is busy. */
const failureOfTwice = async (sandbox: Sandbox, { trialTimeoutMs = defaultTrialMs }: TryOptions) => {
  const failure = await trialFailure(sandbox, trialTimeoutMs)
  return failure === undefined ? undefined : await trialFailure(sandbox, trialTimeoutMs)
}

const viewOf = async ({ view }: TryOptions) => (view === undefined ? undefined : await resolveView(view))

const tryBubblewrap = async (options: TryOptions): Promise<Trial> => {
  if (process.platform !== "linux") return "bubblewrap needs Linux"
  if (options.allowedDomains !== undefined && options.allowedDomains.length > 0)
    return "bubblewrap cannot allow single hosts (security.sandbox.network)"
  const program = await firstExecutable(options.programs ?? usualPaths("bwrap"))
  if (program === undefined) return `bubblewrap ${missingBubblewrap}`
  const common: Omit<BubblewrapOptions, "userNamespace"> = {
    program,
    network: options.network ?? false,
    readOnlyPaths: options.readOnlyPaths ?? [],
    view: await viewOf(options),
    masked: await closedPaths("/etc"),
    limits: options.limits,
    cgroupParent: await findCgroupParent(),
    ...(options.resources === undefined ? {} : { resources: options.resources }),
  }
  let failure = ""
  // Twice: a trial can also fail because the machine is busy.
  for (const userNamespace of [true, false, true, false]) {
    const sandbox = createBubblewrap({ ...common, userNamespace })
    const found = await trialFailure(sandbox, options.trialTimeoutMs ?? defaultTrialMs)
    if (found === undefined) return sandbox
    failure ||= found
  }
  return `bubblewrap does not work here: ${failure}`
}

const isMissing = (error: unknown): boolean =>
  error instanceof Error && "code" in error && error.code === "ERR_MODULE_NOT_FOUND"

const trySandboxRuntime = async (options: TryOptions): Promise<Trial> => {
  const { platform } = process
  const allowedDomains = options.allowedDomains ?? []
  if (platform !== "linux" && platform !== "darwin") return "sandbox-runtime needs Linux or macOS"
  if (options.network === true) return "sandbox-runtime cannot open the whole network"
  const linux = platform === "linux"
  const bubblewrap = linux ? await firstExecutable(options.programs ?? usualPaths("bwrap")) : undefined
  if (linux && bubblewrap === undefined) return `sandbox-runtime needs bubblewrap, which ${missingBubblewrap}`
  const socat = linux ? await firstExecutable(options.relayPrograms ?? usualPaths("socat")) : undefined
  if (linux && socat === undefined && allowedDomains.length > 0)
    return "sandbox-runtime needs socat for security.sandbox.network, which is not installed (package socat)"
  let sandbox: Sandbox
  try {
    sandbox = createSandboxRuntime({
      platform,
      bubblewrap,
      socat,
      allowedDomains,
      readOnlyPaths: options.readOnlyPaths ?? [],
      view: await viewOf(options),
      masked: await closedPaths("/etc"),
      limits: options.limits,
      cgroupParent: linux ? await findCgroupParent() : undefined,
      ...(options.resources === undefined ? {} : { resources: options.resources }),
    })
  } catch (error) {
    if (isMissing(error)) return "sandbox-runtime is not installed (the npm package @anthropic-ai/sandbox-runtime)"
    return `sandbox-runtime does not start here: ${errorMessage(error)}`
  }
  const failure = await failureOfTwice(sandbox, options)
  if (failure === undefined) return sandbox
  await sandbox.close?.()
  return `sandbox-runtime does not work here: ${failure}`
}

const tryDocker = async (options: TryOptions): Promise<Trial> => {
  const { dockerImage: image } = options
  if (image === undefined) return "docker needs an image (security.dockerImage)"
  if (options.allowedDomains !== undefined && options.allowedDomains.length > 0)
    return "docker cannot allow single hosts (security.sandbox.network)"
  const docker = {
    image,
    network: options.network ?? false,
    readOnlyPaths: options.readOnlyPaths ?? [],
    limits: options.limits,
    ...(options.resources === undefined ? {} : { resources: options.resources }),
    ...(options.dockerProgram === undefined ? {} : { program: options.dockerProgram }),
  }
  const missing = await dockerFailure(docker)
  if (missing !== undefined) return missing
  const sandbox = createDocker(docker)
  const failure = await trialFailure(sandbox, options.trialTimeoutMs ?? defaultTrialMs)
  return failure === undefined ? sandbox : `docker does not work here: ${failure}`
}

/** Tries a backend by running a command in it. */
export const tryBackend = (backend: SandboxBackend, options: TryOptions): Promise<Trial> => {
  switch (backend) {
    case "bubblewrap":
      return tryBubblewrap(options)
    case "sandbox-runtime":
      return trySandboxRuntime(options)
    case "docker":
      return tryDocker(options)
  }
}
