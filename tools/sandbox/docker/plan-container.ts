import { existsSync } from "node:fs"
import {
  confinedArguments,
  fixedOf,
  type Launch,
  type LaunchRequest,
  type Marks,
  programPaths,
  refuseRawPaths,
  scratchVariable,
} from "../launch.ts"
import { defaultResourceLimits, type ResourceLimits } from "../process/resource-limits.ts"
import { markNames } from "../process/process-mark.ts"
import { isOwnedByAnother, writableDirectory } from "../writable-directory.ts"
import { dockerArguments } from "./docker-arguments.ts"
import { containerLabels } from "./docker-containers.ts"
import type { DockerEngine } from "./docker-engine.ts"
import { dockerEnvironment } from "./docker-environment.ts"
import { dockerLaunch } from "./docker-launch.ts"

/** Settings of all containers. */
export interface ContainerSettings {
  /** Image in which commands run. It must be on the machine and contain `/bin/bash`. */
  readonly image: string
  /** Whether commands can use the engine's default network. */
  readonly network: boolean
  /** More directories and files to show, read-only. */
  readonly readOnlyPaths: readonly string[]
  /** Limits on one command; its memory includes temporary files. The engine enforces them. */
  readonly resources?: ResourceLimits
  /** Size of the temporary directory, which is in memory and exists as long as the command (default: 1 GiB). */
  readonly tmpBytes?: number
}

export interface ContainerPlan {
  readonly settings: ContainerSettings
  readonly engine: DockerEngine
  readonly clientEnv: Readonly<Record<string, string>>
  readonly marks: Marks
  readonly onDockerMessage: ((message: string) => void) | undefined
}

const mebibyte = 1024 * 1024
const defaultTmpBytes = 1024 * mebibyte

/** Plans the container of one command. */
export const planContainer = async (
  request: LaunchRequest,
  { settings, engine, clientEnv, marks, onDockerMessage }: ContainerPlan,
): Promise<Launch> => {
  const resources = settings.resources ?? defaultResourceLimits
  refuseRawPaths(request)
  const cwd = await writableDirectory(request.cwd)
  const { scratchDir, closedPaths = [] } = request
  const env = scratchDir === undefined ? request.env : { ...request.env, [scratchVariable]: "/tmp" }
  const { args, values, lines } = dockerEnvironment(env, engine.imagePath)
  const owner = marks[markNames.owner] ?? ""
  const command = marks[markNames.command] ?? ""
  const name = `adjutant-${command}`
  const view = {
    image: settings.image,
    name,
    labels: { [containerLabels.owner]: owner, [containerLabels.command]: command },
    user: engine.rootless ? "0:0" : `${process.getuid?.() ?? 0}:${process.getgid?.() ?? 0}`,
    overridesOwner: isOwnedByAnother(cwd),
    hostUsers: engine.remapsUsers,
    unlabelled: engine.labels,
    cwd,
    readOnlyPaths: [...settings.readOnlyPaths, ...programPaths(request)].filter((path) => existsSync(path)),
    fixed: fixedOf(request, cwd),
    hiddenDirs: (request.hiddenDirs ?? []).filter((path) => existsSync(path)),
    scratchDir,
    closedPaths: closedPaths.filter((path) => existsSync(path)),
    network: (settings.network || request.network !== undefined) && scratchDir === undefined,
    interactive: request.what.type === "program",
    memoryBytes: resources.memoryMb * mebibyte,
    maxProcesses: resources.processes,
    cpuSeconds: resources.cpuSeconds,
    fileBytes: resources.fileMb * mebibyte,
    tmpBytes: settings.tmpBytes ?? defaultTmpBytes,
    environment: args,
  }
  return dockerLaunch({
    engine,
    name,
    args: dockerArguments(view, confinedArguments(request)),
    env: { ...values, ...clientEnv },
    envLines: lines,
    onDockerMessage,
  })
}
