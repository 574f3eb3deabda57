import { randomBytes } from "node:crypto"
import { mkdtemp, realpath, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { sandboxEnvironment } from "../tool-environment.ts"
import { confinedArguments, programPaths, shellFile } from "./launch.ts"
import type { Launch, LaunchRequest, Marks } from "./launch.ts"
import type { MaskedPath } from "./masked-paths.ts"
import { createProcessRunner, defaultProcessLimits } from "./run-process.ts"
import type { ProcessLimits } from "./run-process.ts"
import { createProgramRunner } from "./run-program.ts"
import { linuxLaunch, macLaunch, runtimeScript } from "./runtime-launch.ts"
import { openRuntime } from "./runtime-manager.ts"
import type { RuntimePrograms } from "./runtime-manager.ts"
import { runtimePolicy } from "./runtime-policy.ts"
import type { Sandbox } from "./sandbox.ts"
import { writableDirectory } from "./writable-directory.ts"

export interface SandboxRuntimeOptions {
  readonly platform: "linux" | "darwin"
  readonly programs: RuntimePrograms
  /** Hosts that commands reach through the runtime's proxies; empty: no network at all, and no proxies. */
  readonly allowedDomains: readonly string[]
  /** Further directories and files to show, read-only. */
  readonly readOnlyPaths: readonly string[]
  /** What of the system is not readable. */
  readonly masked: readonly MaskedPath[]
  readonly limits?: ProcessLimits
}

/** A command's own list is found by the id that it shows the proxy, so no other command may guess it. */
const newCommandId = (): string => randomBytes(18).toString("base64url")

/** The runtime's own way to the network, which the environment of a command must not replace. */
const isProxyVariable = (name: string): boolean => /_proxy$/i.test(name)

/** An inherited value could hold what tools must not see; the runtime would pass it on. */
const withoutInherited = { envVars: [{ name: "JAVA_TOOL_OPTIONS", mode: "deny" as const }] }

const environmentOf = (env: LaunchRequest["env"], proxies: boolean): Readonly<Record<string, string>> => ({
  ...Object.fromEntries(Object.entries(env).filter(([name]) => !isProxyVariable(name))),
  ...(proxies ? { NODE_USE_ENV_PROXY: "1" } : {}),
})

/**
 * Confines commands with `@anthropic-ai/sandbox-runtime`: bubblewrap and a filter of system calls on Linux, Seatbelt on macOS, and proxies
 * that let single hosts through.
 * @throws where the package is missing or its proxies do not start
 */
export const createSandboxRuntime = async (options: SandboxRuntimeOptions): Promise<Sandbox> => {
  const proxies = options.allowedDomains.length > 0
  const runtime = await openRuntime(options.programs, proxies)
  const runner = createProcessRunner(options.limits ?? defaultProcessLimits)

  const plan = async (request: LaunchRequest, marks: Marks): Promise<Launch> => {
    const cwd = await writableDirectory(request.cwd)
    const tmp = options.platform === "darwin" ? await realpath(await mkdtemp(join(tmpdir(), "adjutant-"))) : undefined
    const commandId = newCommandId()
    const cleanUp = async (): Promise<void> => {
      runtime.manager.unregisterCommandNetworkLists(commandId)
      if (tmp !== undefined) await rm(tmp, { recursive: true, force: true })
    }
    let wrapped: string
    try {
      if (proxies)
        runtime.manager.registerCommandNetworkLists(commandId, { allowedDomains: [...options.allowedDomains] })
      wrapped = await runtime.manager.wrapWithSandbox(
        runtimeScript(options.platform),
        shellFile,
        {
          network: { allowedDomains: [], deniedDomains: [] },
          filesystem: runtimePolicy({
            platform: options.platform,
            cwd,
            hiddenDirs: request.hiddenDirs ?? [],
            readOnlyPaths: [...options.readOnlyPaths, ...runtime.ownPaths, ...programPaths(request)],
            masked: options.masked,
            tmp,
          }),
          credentials: withoutInherited,
        },
        undefined,
        { commandId },
      )
    } catch (error) {
      await cleanUp()
      throw error
    }
    const env = environmentOf(request.env, proxies)
    const launch = {
      wrapped,
      args: confinedArguments(request),
      cwd,
      env: tmp === undefined ? sandboxEnvironment(env) : env,
      marks,
      async cleanUp() {
        // It counts the commands that run, and removes what it put on the disk for them after the last.
        runtime.manager.cleanupAfterCommand()
        await cleanUp()
      },
    }
    return tmp === undefined ? linuxLaunch(launch) : macLaunch(launch, tmp)
  }

  return {
    kind: "sandbox-runtime",
    confined: true,
    run: (command) => runner.run(command, plan),
    runProgram: createProgramRunner(plan),
    stopBackground: (ownerId) => runner.stopBackground(ownerId),
    close: () => runtime.close(),
  }
}
