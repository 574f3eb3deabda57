import { bytesOfPath } from "../../disk/disk-path.ts"
import { bubblewrapArguments, cacheDirectory } from "./bubblewrap-arguments.ts"
import {
  confinedArguments,
  fixedOf,
  guardedByLifeline,
  programPaths,
  shellFile,
  scratchVariable,
  statusArguments,
  shellFlags,
  type Launch,
  type LaunchRequest,
  type Marks,
  type PlanLaunch,
} from "../launch.ts"
import { limitByCgroup } from "../cgroup/limit-by-cgroup.ts"
import type { MaskedPath } from "../masked-paths.ts"
import { createProcessRunner, defaultProcessLimits, type ProcessLimits } from "../process/run-process.ts"
import { defaultResourceLimits, kernelLimits, type ResourceLimits } from "../process/resource-limits.ts"
import { createProgramRunner } from "../process/run-program.ts"
import { seccompFilter } from "../seccomp/seccomp-filter.ts"
import type { Sandbox } from "../sandbox.ts"
import { createSharedNetwork, type SharedNetwork } from "./shared-network.ts"
import { shownTo } from "../view/shown-to.ts"
import type { SandboxView } from "../view/sandbox-view.ts"
import { isOwnedByAnother, writableDirectory } from "../writable-directory.ts"

export interface BubblewrapOptions {
  /** Absolute path of `bwrap`. */
  readonly program: string
  /** Whether commands can use the machine's network. */
  readonly network: boolean
  /** False if the kernel refuses user namespaces to a worker that is root. */
  readonly userNamespace: boolean
  /** More directories and files to show, read-only. */
  readonly readOnlyPaths: readonly string[]
  /** What the configuration shows. Absent: nothing more. */
  readonly view?: SandboxView | undefined
  /** Parts of the system that are shown as empty. */
  readonly masked: readonly MaskedPath[]
  /** Size of the temporary directory, which is in memory and exists as long as the command. */
  readonly tmpBytes?: number
  readonly resources?: ResourceLimits
  /** The control group in which those of commands are created; see `findCgroupParent`. */
  readonly cgroupParent?: string | undefined
  readonly limits?: ProcessLimits
}

const defaultTmpBytes = 1024 * 1024 * 1024

/** Returns the shell that starts bubblewrap in its place, without inherited files that the sandbox must not have. */
const throughBubblewrap = (resources: ResourceLimits): readonly string[] => [
  ...shellFlags,
  `${guardedByLifeline}; ${kernelLimits(resources)}; exec "$@"`,
  "bash",
]

/** The filter of system calls. Without one for this architecture, bubblewrap's other means have to do. */
const filter = seccompFilter(process.arch)
const filterWithoutSockets = seccompFilter(process.arch, { allowsLocalSockets: false })

/** Returns whether a command shares its network with no other: it has the machine's, or runs in the sandbox of a task. */
const isAlone = (options: BubblewrapOptions, { network, scratchDir }: Pick<LaunchRequest, "network" | "scratchDir">) =>
  options.network || network !== undefined || scratchDir !== undefined

/** Returns how commands are started: in the network of a background command of their run, or in one that later commands can join, if that works. */
const createPlan =
  (options: BubblewrapOptions, shared: SharedNetwork): PlanLaunch =>
  async (request: LaunchRequest, marks: Marks): Promise<Launch> => {
    const resources = options.resources ?? defaultResourceLimits
    const cwd = await writableDirectory(request.cwd)
    const shown = shownTo(options.view, { cwd, scratchDir: request.scratchDir, cacheDirectory })
    const scratch: Readonly<Record<string, string>> =
      request.scratchDir === undefined ? {} : { [scratchVariable]: "/tmp" }
    const opened = (options.network || request.network !== undefined) && request.scratchDir === undefined
    const entered = isAlone(options, request) ? undefined : await shared.entering(request)
    const view = bubblewrapArguments({
      cwd,
      env: { ...request.env, ...shown.env, ...marks, ...scratch },
      scratchDir: request.scratchDir,
      closedPaths: request.closedPaths ?? [],
      hiddenDirs: request.hiddenDirs ?? [],
      fixed: fixedOf(request, cwd),
      readOnlyPaths: [...options.readOnlyPaths, ...shown.readOnly, ...programPaths(request)],
      writablePaths: shown.writable,
      hiddenOfShown: shown.masked,
      cacheDir: shown.cacheDir,
      masked: options.masked,
      network: entered === undefined ? opened : "entered",
      userNamespace: options.userNamespace && !isOwnedByAnother(cwd),
      tmpBytes: options.tmpBytes ?? defaultTmpBytes,
    })
    return {
      file: shellFile,
      args: [
        ...throughBubblewrap(resources),
        ...(entered ?? []),
        options.program,
        ...statusArguments,
        ...["--args", "3"],
        ...(filter === undefined ? [] : ["--seccomp", "4"]),
        "--",
        ...confinedArguments(request),
      ],
      env: {},
      cwd: "/",
      descriptor3: { type: "arguments", bytes: bytesOfPath(view.map((argument) => `${argument}\0`).join("")) },
      ...(filter === undefined ? {} : { filter: request.scratchDir === undefined ? filter : filterWithoutSockets }),
      lifeline5: true,
      resources,
      groupTakesSigterm: false,
      leavesNothing: true,
    }
  }

/** Confines commands with bubblewrap: the system read-only and the working directory writable. The rest of the machine is not visible. */
export const createBubblewrap = (options: BubblewrapOptions): Sandbox => {
  const runner = createProcessRunner(options.limits ?? defaultProcessLimits)
  const shared = createSharedNetwork(options)
  const plan = limitByCgroup(createPlan(options, shared), options.cgroupParent)

  return {
    kind: "bubblewrap",
    confined: true,
    ...(options.view === undefined ? {} : { view: options.view }),
    refusesSetId: filter !== undefined,
    async run(command) {
      const result = await runner.run(command, plan)
      const isRunning = result.pid !== undefined && result.exitCode === null && result.signal === null
      return isRunning && !isAlone(options, command)
        ? { ...result, sharesPorts: await shared.canJoin(result.pid) }
        : result
    },
    runProgram: createProgramRunner(plan),
    async stopBackground(ownerId) {
      await runner.stopBackground(ownerId)
      await options.view?.layer?.trim()
    },
  }
}
