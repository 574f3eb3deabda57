import { mkdtemp, realpath, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { isInside } from "../../../domain/workspace/is-inside.ts"
import { sandboxEnvironment } from "../../tool-environment.ts"
import {
  confinedArguments,
  fixedOf,
  refuseRawPaths,
  programPaths,
  scratchVariable,
  shellFile,
  type Launch,
  type LaunchRequest,
  type Marks,
} from "../launch.ts"
import { limitByCgroup } from "../cgroup/limit-by-cgroup.ts"
import type { MaskedPath } from "../masked-paths.ts"
import { createProcessRunner, defaultProcessLimits, type ProcessLimits } from "../process/run-process.ts"
import { defaultResourceLimits, type ResourceLimits } from "../process/resource-limits.ts"
import { createProgramRunner } from "../process/run-program.ts"
import { linuxLaunch, macLaunch, runtimeRefusesSetId, runtimeScript } from "./runtime-launch.ts"
import { createRuntimeClient, type RuntimeClient } from "./runtime-client.ts"
import type { RuntimeProcessOptions } from "./runtime-process.ts"
import { runtimePolicy } from "./runtime-policy.ts"
import { sandboxUnavailable } from "../../sandbox-unavailable.ts"
import type { Sandbox } from "../sandbox.ts"
import type { SandboxView } from "../view/sandbox-view.ts"
import { type Shown, shownTo } from "../view/shown-to.ts"
import { writableDirectory } from "../writable-directory.ts"

export interface SandboxRuntimeOptions extends RuntimeProcessOptions {
  readonly platform: "linux" | "darwin"
  /** More directories and files to show, read-only. */
  readonly readOnlyPaths: readonly string[]
  /** What the configuration shows. Absent: nothing more. */
  readonly view?: SandboxView | undefined
  /** Parts of the system that are not readable. */
  readonly masked: readonly MaskedPath[]
  readonly limits?: ProcessLimits
  readonly resources?: ResourceLimits
  /** The control group in which those of commands are created; see `findCgroupParent`. */
  readonly cgroupParent?: string | undefined
}

/** Whether a variable sets a proxy. The environment of a command must not replace the runtime's proxies. */
const isProxyVariable = (name: string): boolean => /_proxy$/i.test(name)

const runtimeEnvironment = (env: LaunchRequest["env"], proxies: boolean): Readonly<Record<string, string>> => ({
  ...Object.fromEntries(Object.entries(env).filter(([name]) => !isProxyVariable(name))),
  ...(proxies ? { NODE_USE_ENV_PROXY: "1" } : {}),
})

const environmentFor = ({ env, scratchDir }: LaunchRequest, proxies: boolean): Readonly<Record<string, string>> => ({
  ...runtimeEnvironment(env, proxies),
  ...(scratchDir === undefined ? {} : { [scratchVariable]: scratchDir }),
})

interface CommandPlace {
  readonly cwd: string
  readonly shown: Shown
  readonly tmp: string | undefined
  readonly ownPaths: readonly string[]
}

const policyFor = (
  { platform, readOnlyPaths, masked }: SandboxRuntimeOptions,
  request: LaunchRequest,
  { cwd, tmp, ownPaths, shown }: CommandPlace,
) =>
  runtimePolicy({
    ...{ platform, cwd },
    // The folder for downloads may be inside a hidden directory, and stays visible.
    masked: [...masked, ...shown.masked.filter(({ path }) => !isInside(path, shown.cacheDir ?? ""))],
    writablePaths: [...shown.writable, ...(shown.cacheDir === undefined ? [] : [shown.cacheDir])],
    ...(tmp === undefined ? {} : { tmp }),
    hiddenDirs: request.hiddenDirs ?? [],
    fixed: fixedOf(request, cwd),
    readOnlyPaths: [...readOnlyPaths, ...shown.readOnly, ...ownPaths, ...programPaths(request)],
    scratchDir: request.scratchDir,
    closedPaths: request.closedPaths ?? [],
  })

interface ChosenRuntime {
  readonly client: RuntimeClient
  readonly proxies: boolean
  /** Must be called when the command has ended. */
  close(): Promise<void>
}

const stays = async (): Promise<void> => undefined

/**
 * Creates the runtimes of a sandbox. The hosts that a runtime lets through are fixed when it starts, so a command that may reach more hosts gets a runtime
 * of its own, which ends with it.
 */
const createRuntimes = (options: SandboxRuntimeOptions) => {
  const { platform, socat, allowedDomains } = options
  const proxies = allowedDomains.length > 0
  const runtime = createRuntimeClient(options)
  const offline = proxies ? createRuntimeClient({ ...options, allowedDomains: [] }) : runtime
  return {
    of({ scratchDir, network }: LaunchRequest): ChosenRuntime {
      if (scratchDir !== undefined) return { client: offline, proxies: false, close: stays }
      if (network === undefined) return { client: runtime, proxies, close: stays }
      if (platform === "linux" && socat === undefined)
        throw sandboxUnavailable("sandbox-runtime needs socat to open hosts for a command (package socat)")
      const client = createRuntimeClient({ ...options, allowedDomains: [...allowedDomains, ...network] })
      return { client, proxies: true, close: () => client.close() }
    },
    close: async () => void (await Promise.all([runtime.close(), offline.close()])),
  }
}

/**
 * Confines commands with `@anthropic-ai/sandbox-runtime`: bubblewrap and a filter of system calls on Linux, Seatbelt on macOS, and proxies
 * that let single hosts through.
 * @throws if the package is missing
 */
export const createSandboxRuntime = (options: SandboxRuntimeOptions): Sandbox => {
  const { platform } = options
  const runtimes = createRuntimes(options)
  const runner = createProcessRunner(options.limits ?? defaultProcessLimits)

  const planUnlimited = async (request: LaunchRequest, marks: Marks): Promise<Launch> => {
    refuseRawPaths(request)
    const cwd = await writableDirectory(request.cwd)
    const tmp = platform === "darwin" ? await realpath(await mkdtemp(join(tmpdir(), "adjutant-"))) : undefined
    const removeTmp = async (): Promise<void> => {
      if (tmp !== undefined) await rm(tmp, { recursive: true, force: true })
    }
    const { view } = options
    const shown = shownTo(view, { cwd, scratchDir: request.scratchDir, cacheDirectory: view?.layer?.path })
    const chosen = runtimes.of(request)
    const wrapped = await chosen.client
      .wrap(runtimeScript(platform), shellFile, (ownPaths) =>
        policyFor(options, request, { cwd, tmp, ownPaths, shown }),
      )
      .catch(async (error: unknown) => {
        await Promise.all([removeTmp(), chosen.close()])
        throw error
      })
    const env = environmentFor({ ...request, env: { ...request.env, ...shown.env } }, chosen.proxies)
    const launch = {
      wrapped: wrapped.text,
      args: confinedArguments(request),
      cwd,
      env: tmp === undefined ? sandboxEnvironment(env) : env,
      marks,
      resources: options.resources ?? defaultResourceLimits,
      async cleanUp() {
        await wrapped.ended()
        await Promise.all([removeTmp(), chosen.close()])
      },
    }
    return tmp === undefined ? linuxLaunch(launch, options.bubblewrap ?? "bwrap") : macLaunch(launch, tmp)
  }

  const plan = limitByCgroup(planUnlimited, options.cgroupParent)

  return {
    kind: "sandbox-runtime",
    confined: true,
    ...(options.view === undefined ? {} : { view: options.view }),
    network: { hosts: options.allowedDomains, limitsHosts: true },
    refusesSetId: runtimeRefusesSetId,
    run: (command) => runner.run(command, plan),
    runProgram: createProgramRunner(plan),
    async stopBackground(ownerId) {
      await runner.stopBackground(ownerId)
      await options.view?.layer?.trim()
    },
    close: async () => runtimes.close(),
  }
}
