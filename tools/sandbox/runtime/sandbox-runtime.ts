import { mkdtemp, realpath, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { sandboxEnvironment } from "../../tool-environment.ts"
import {
  confinedArguments,
  fixedOf,
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
import { createRuntimeClient } from "./runtime-client.ts"
import type { RuntimeOptions } from "./runtime-process.ts"
import { runtimePolicy } from "./runtime-policy.ts"
import type { Sandbox } from "../sandbox.ts"
import { writableDirectory } from "../writable-directory.ts"

export interface SandboxRuntimeOptions extends RuntimeOptions {
  readonly platform: "linux" | "darwin"
  /** More directories and files to show, read-only. */
  readonly readOnlyPaths: readonly string[]
  /** Parts of the system that are not readable. */
  readonly masked: readonly MaskedPath[]
  readonly limits?: ProcessLimits
  readonly resources?: ResourceLimits
  /** The control group in which those of commands are created; see `findCgroupParent`. */
  readonly cgroupParent?: string | undefined
}

/** Whether a variable sets a proxy. The environment of a command must not replace the runtime's proxies. */
const isProxyVariable = (name: string): boolean => /_proxy$/i.test(name)

const environmentOf = (env: LaunchRequest["env"], proxies: boolean): Readonly<Record<string, string>> => ({
  ...Object.fromEntries(Object.entries(env).filter(([name]) => !isProxyVariable(name))),
  ...(proxies ? { NODE_USE_ENV_PROXY: "1" } : {}),
})

/** A task's own sandbox reaches no proxy. */
const environmentFor = ({ env, scratchDir }: LaunchRequest, proxies: boolean): Readonly<Record<string, string>> =>
  scratchDir === undefined
    ? environmentOf(env, proxies)
    : { ...environmentOf(env, false), [scratchVariable]: scratchDir }

interface CommandPlace {
  readonly cwd: string
  readonly tmp: string | undefined
  readonly ownPaths: readonly string[]
}

const policyFor = (
  { platform, readOnlyPaths, masked }: SandboxRuntimeOptions,
  request: LaunchRequest,
  { cwd, tmp, ownPaths }: CommandPlace,
) =>
  runtimePolicy({
    ...{ platform, cwd, masked },
    ...(tmp === undefined ? {} : { tmp }),
    hiddenDirs: request.hiddenDirs ?? [],
    fixed: fixedOf(request, cwd),
    readOnlyPaths: [...readOnlyPaths, ...ownPaths, ...programPaths(request)],
    scratchDir: request.scratchDir,
    closedPaths: request.closedPaths ?? [],
  })

/**
 * Confines commands with `@anthropic-ai/sandbox-runtime`: bubblewrap and a filter of system calls on Linux, Seatbelt on macOS, and proxies
 * that let single hosts through.
 * @throws if the package is missing
 */
export const createSandboxRuntime = (options: SandboxRuntimeOptions): Sandbox => {
  const { platform } = options
  const proxies = options.allowedDomains.length > 0
  const runtime = createRuntimeClient(options)
  // The hosts of a runtime are fixed when it starts.
  const offline = proxies ? createRuntimeClient({ ...options, allowedDomains: [] }) : runtime
  const runner = createProcessRunner(options.limits ?? defaultProcessLimits)

  const wrap = (request: LaunchRequest, cwd: string, tmp: string | undefined) =>
    (request.scratchDir === undefined ? runtime : offline).wrap(runtimeScript(platform), shellFile, (ownPaths) =>
      policyFor(options, request, { cwd, tmp, ownPaths }),
    )

  const planUnlimited = async (request: LaunchRequest, marks: Marks): Promise<Launch> => {
    const cwd = await writableDirectory(request.cwd)
    const tmp = platform === "darwin" ? await realpath(await mkdtemp(join(tmpdir(), "adjutant-"))) : undefined
    const removeTmp = async (): Promise<void> => {
      if (tmp !== undefined) await rm(tmp, { recursive: true, force: true })
    }
    const wrapped = await wrap(request, cwd, tmp).catch(async (error: unknown) => {
      await removeTmp()
      throw error
    })
    const env = environmentFor(request, proxies)
    const launch = {
      wrapped: wrapped.text,
      args: confinedArguments(request),
      cwd,
      env: tmp === undefined ? sandboxEnvironment(env) : env,
      marks,
      resources: options.resources ?? defaultResourceLimits,
      async cleanUp() {
        await wrapped.ended()
        await removeTmp()
      },
    }
    return tmp === undefined ? linuxLaunch(launch, options.bubblewrap ?? "bwrap") : macLaunch(launch, tmp)
  }

  const plan = limitByCgroup(planUnlimited, options.cgroupParent)

  return {
    kind: "sandbox-runtime",
    confined: true,
    refusesSetId: runtimeRefusesSetId,
    run: (command) => runner.run(command, plan),
    runProgram: createProgramRunner(plan),
    stopBackground: (ownerId) => runner.stopBackground(ownerId),
    close: async () => void (await Promise.all([runtime.close(), offline.close()])),
  }
}
