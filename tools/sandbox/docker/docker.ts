import { existsSync } from "node:fs"
import { AdjutantError } from "../../../contracts/adjutant-error.ts"
import { ownedByAnother } from "../bubblewrap/bubblewrap-arguments.ts"
import { dockerArguments } from "./docker-arguments.ts"
import { clientEnvironment, createDockerClient } from "./docker-client.ts"
import { containerLabels, stopOwnedContainers } from "./docker-containers.ts"
import { dockerWords, findDocker, missingDocker, openEngine } from "./docker-engine.ts"
import type { DockerEngine } from "./docker-engine.ts"
import { dockerEnvironment } from "./docker-environment.ts"
import { dockerLaunch } from "./docker-launch.ts"
import { confinedArguments, programPaths } from "../launch.ts"
import type { Launch, LaunchRequest, Marks } from "../launch.ts"
import { markNames } from "../process/process-mark.ts"
import { createProcessRunner, defaultProcessLimits } from "../process/run-process.ts"
import type { ProcessLimits } from "../process/run-process.ts"
import { createProgramRunner } from "../process/run-program.ts"
import type { Sandbox } from "../sandbox.ts"
import { writableDirectory } from "../writable-directory.ts"

export interface DockerOptions {
  /** Absolute path of `docker`; default the first of the usual places. */
  readonly program?: string
  /** What commands run in; it has to be on the machine, and to have `/bin/bash`. */
  readonly image: string
  /** True: commands may use the engine's default network. */
  readonly network: boolean
  /** Further directories and files to show, read-only. */
  readonly readOnlyPaths: readonly string[]
  readonly limits?: ProcessLimits
  /** Of one command, temporary files included; default 4 GiB. */
  readonly memoryBytes?: number
  /** Of one command; default 2,048. */
  readonly maxProcesses?: number
  /** Size of the temporary directory, which lives in memory and as long as the command; default 1 GiB. */
  readonly tmpBytes?: number
  /** How long a background command is watched beyond the limits' time, since a container takes a while to start; default 1 s. */
  readonly startAllowanceMs?: number
  /** Where the client finds its settings and the engine (`HOME`, `DOCKER_HOST` …); default the worker's environment. */
  readonly env?: Readonly<Record<string, string | undefined>>
}

const gibibyte = 1024 * 1024 * 1024
const defaults = { memoryBytes: 4 * gibibyte, maxProcesses: 2_048, tmpBytes: gibibyte, startAllowanceMs: 1_000 }

const open = (options: DockerOptions): Promise<DockerEngine | string> =>
  openEngine({ ...options, clientEnv: clientEnvironment(options.env ?? process.env) })

/** Why docker cannot be used here, in one clause; undefined where its engine answers and has the image. */
export const dockerFailure = async (options: DockerOptions): Promise<string | undefined> => {
  const engine = await open(options)
  return typeof engine === "string" ? engine : undefined
}

const unavailable = (failure: string): AdjutantError =>
  new AdjutantError("sandbox_unavailable", `The command could not be run: ${failure}.`)

/** 125 is docker's own failure; 126 and 127 come with words of docker's, or of the container's init, where the command cannot be started. */
const isOfDocker = (exitCode: number | null, words: string): boolean => {
  if (exitCode === 125) return dockerWords(words) !== ""
  return (exitCode === 126 || exitCode === 127) && /^(?:docker: |\[FATAL tini )/m.test(words)
}

/** A program shares standard error with docker, so there docker's words have to be known from its own. */
const wordsAmong = (stderr: string): string =>
  stderr
    .split("\n")
    .filter((line) =>
      /^(?:docker: |unknown flag|error waiting for container|\[FATAL tini |(?:Run|See) 'docker )/.test(line),
    )
    .join("\n")

/** Confines commands in containers: the image read-only, the working directory writable, nothing else of the machine. */
export const createDocker = (options: DockerOptions): Sandbox => {
  const limits = options.limits ?? defaultProcessLimits
  const startAllowanceMs = options.startAllowanceMs ?? defaults.startAllowanceMs
  const runner = createProcessRunner({ ...limits, backgroundStartMs: limits.backgroundStartMs + startAllowanceMs })
  const clientEnv = clientEnvironment(options.env ?? process.env)

  let engine: Promise<DockerEngine | string> | undefined
  const openOnce = async (): Promise<DockerEngine> => {
    engine ??= open(options)
    const opened = await engine
    if (typeof opened !== "string") return opened
    engine = undefined
    throw unavailable(opened)
  }

  const failureOf = async (words: string): Promise<AdjutantError> => {
    const failure = await dockerFailure(options)
    return unavailable(failure ?? `docker says: ${dockerWords(words)} (image ${options.image})`)
  }

  const plan = async (request: LaunchRequest, marks: Marks, onWords?: (words: string) => void): Promise<Launch> => {
    const [opened, cwd] = [await openOnce(), await writableDirectory(request.cwd)]
    const { args, values, lines } = dockerEnvironment(request.env, opened.imagePath)
    const name = `adjutant-${marks[markNames.command] ?? ""}`
    const view = {
      image: options.image,
      name,
      labels: {
        [containerLabels.owner]: marks[markNames.owner] ?? "",
        [containerLabels.command]: marks[markNames.command] ?? "",
      },
      user: opened.rootless ? "0:0" : `${process.getuid?.() ?? 0}:${process.getgid?.() ?? 0}`,
      overridesOwner: ownedByAnother(cwd),
      hostUsers: opened.remapsUsers,
      unlabelled: opened.labels,
      cwd,
      readOnlyPaths: [...options.readOnlyPaths, ...programPaths(request)].filter((path) => existsSync(path)),
      hiddenDirs: (request.hiddenDirs ?? []).filter((path) => existsSync(path)),
      network: options.network,
      interactive: request.what.type === "program",
      memoryBytes: options.memoryBytes ?? defaults.memoryBytes,
      maxProcesses: options.maxProcesses ?? defaults.maxProcesses,
      tmpBytes: options.tmpBytes ?? defaults.tmpBytes,
      environment: args,
    }
    return dockerLaunch({
      engine: opened,
      name,
      args: dockerArguments(view, confinedArguments(request)),
      env: { ...values, ...clientEnv },
      envLines: lines,
      onWords,
    })
  }

  const runProgram = createProgramRunner((request, marks) => plan(request, marks))

  return {
    kind: "docker",
    confined: true,
    async run(command) {
      let words = ""
      const result = await runner.run(command, (request, marks) => plan(request, marks, (text) => void (words = text)))
      const endedByItself = !result.timedOut && !result.aborted
      if (endedByItself && isOfDocker(result.exitCode, words)) throw await failureOf(words)
      return result
    },
    async runProgram(program) {
      const result = await runProgram(program)
      const words = wordsAmong(result.stderrEnd)
      if (result.stoppedFor === null && isOfDocker(result.exitCode, words)) throw await failureOf(words)
      return result
    },
    async stopBackground(ownerId) {
      await runner.stopBackground(ownerId)
      // Containers can be stopped, though their image is there no more.
      const program = await findDocker(options.program)
      if (program === undefined) throw unavailable(missingDocker)
      await stopOwnedContainers(createDockerClient(program, clientEnv), ownerId, limits.graceMs)
    },
  }
}
