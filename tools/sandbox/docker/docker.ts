import type { AdjutantError } from "../../../contracts/adjutant-error.ts"
import type { LaunchRequest, Marks } from "../launch.ts"
import { createProcessRunner, defaultProcessLimits, type ProcessLimits } from "../process/run-process.ts"
import { createProgramRunner } from "../process/run-program.ts"
import type { Sandbox } from "../sandbox.ts"
import { clientEnvironment, createDockerClient } from "./docker-client.ts"
import { stopOwnedContainers } from "./docker-containers.ts"
import { dockerMessage, findDocker, missingDocker, openEngine, type DockerEngine } from "./docker-engine.ts"
import { type ContainerSettings, planContainer } from "./plan-container.ts"
import { sandboxUnavailable } from "../../sandbox-unavailable.ts"

const unavailable = (failure: string): AdjutantError => sandboxUnavailable(`the command could not be run: ${failure}`)

/** Returns whether docker itself failed: with exit code 125, or with 126 or 127 and a message of docker or the container's init. */
const isDockerFailure = (exitCode: number | null, message: string): boolean => {
  if (exitCode === 125) return dockerMessage(message) !== ""
  return (exitCode === 126 || exitCode === 127) && /^(?:docker: |\[FATAL tini )/m.test(message)
}

/** Returns docker's own lines, which it recognizes by their form, since a program shares standard error with docker. */
const dockerLines = (stderr: string): string =>
  stderr
    .split("\n")
    .filter((line) =>
      /^(?:docker: |unknown flag|error waiting for container|\[FATAL tini |(?:Run|See) 'docker )/.test(line),
    )
    .join("\n")

/** Messages of engines that do not have a directory of the worker. Docker Desktop has only those that its settings share. */
const withoutDirectory = /bind source path does not exist|is not shared from the host|mounts denied/i

/** Returns why docker failed, by its message. An engine that does not have the worker's directories is another machine's, or that of a container's host. */
const whyItFailed = (message: string, image: string): string =>
  `docker failed: ${message} (image ${image})` +
  (withoutDirectory.test(message)
    ? "; the engine does not see this worker's files: it is on another machine, or the worker is itself in a container. " +
      "Run the worker on the machine of the engine, mount its directories in both at the same paths, or name another backend in security.sandboxBackends"
    : "")

export interface DockerOptions extends ContainerSettings {
  /** Absolute path of `docker` (default: the first of the usual paths). */
  readonly program?: string
  readonly limits?: ProcessLimits
  /** Added to the time for which a background command is observed, since a container starts more slowly (default: 1 s). */
  readonly startAllowanceMs?: number
  /** Variables with which the client finds its settings and the engine, such as `HOME` and `DOCKER_HOST` (default: the worker's environment). */
  readonly env?: Readonly<Record<string, string | undefined>>
}

const defaultStartAllowanceMs = 1_000

const open = (options: DockerOptions): Promise<DockerEngine | string> =>
  openEngine({ ...options, clientEnv: clientEnvironment(options.env ?? process.env) })

/** Returns why docker cannot be used here; undefined if its engine answers and has the image. */
export const dockerFailure = async (options: DockerOptions): Promise<string | undefined> => {
  const engine = await open(options)
  return typeof engine === "string" ? engine : undefined
}

/** Opens the engine at the first use. After a failure, the next use tries again. */
const createEngineOpener = (options: DockerOptions): (() => Promise<DockerEngine>) => {
  let engine: Promise<DockerEngine | string> | undefined
  return async () => {
    engine ??= open(options)
    const opened = await engine
    if (typeof opened !== "string") return opened
    engine = undefined
    throw unavailable(opened)
  }
}

/** Returns why docker itself failed: it can no longer be used, or its own message. */
const explainFailure = async (options: DockerOptions, message: string): Promise<AdjutantError> => {
  const failure = await dockerFailure(options)
  return unavailable(failure ?? whyItFailed(dockerMessage(message), options.image))
}

/** Confines commands in containers, with a read-only image and the working directory writable. The rest of the machine is not visible. */
export const createDocker = (options: DockerOptions): Sandbox => {
  const limits = options.limits ?? defaultProcessLimits
  const startAllowanceMs = options.startAllowanceMs ?? defaultStartAllowanceMs
  const runner = createProcessRunner({ ...limits, backgroundStartMs: limits.backgroundStartMs + startAllowanceMs })
  const clientEnv = clientEnvironment(options.env ?? process.env)
  const openedEngine = createEngineOpener(options)

  const plan = async (request: LaunchRequest, marks: Marks, onDockerMessage?: (message: string) => void) =>
    planContainer(request, { settings: options, engine: await openedEngine(), clientEnv, marks, onDockerMessage })

  const runProgram = createProgramRunner((request, marks) => plan(request, marks))

  return {
    kind: "docker",
    confined: true,
    async run(command) {
      let message = ""
      const result = await runner.run(command, (request, marks) =>
        plan(request, marks, (text) => void (message = text)),
      )
      const endedByItself = !result.timedOut && !result.aborted
      if (endedByItself && isDockerFailure(result.exitCode, message)) throw await explainFailure(options, message)
      return result
    },
    async runProgram(program) {
      const result = await runProgram(program)
      const message = dockerLines(result.stderrEnd)
      if (result.stoppedFor === null && isDockerFailure(result.exitCode, message))
        throw await explainFailure(options, message)
      return result
    },
    async stopBackground(ownerId) {
      await runner.stopBackground(ownerId)
      // Containers can be stopped even if their image no longer exists.
      const program = await findDocker(options.program)
      if (program === undefined) throw unavailable(missingDocker)
      await stopOwnedContainers(createDockerClient(program, clientEnv), ownerId, limits.graceMs)
    },
  }
}
