import { mkdtemp, readFile, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { removeContainer } from "./docker-containers.ts"
import type { DockerEngine } from "./docker-engine.ts"
import { closeInherited, shellFile, shellFlags, type Launch } from "../launch.ts"

export interface DockerLaunchRequest {
  readonly engine: DockerEngine
  /** Name of the container. */
  readonly name: string
  /** Arguments of `docker run`. */
  readonly args: readonly string[]
  /** The client's environment. */
  readonly env: Readonly<Record<string, string>>
  /** Lines for `--env-file`. */
  readonly envLines: string
  /** Receives docker's message. Set if the command does not write to standard error, so that only docker writes there, apart from the output. */
  readonly onDockerMessage?: (message: string) => void
}

const maxMessageCharacters = 4_000
const linesVariable = "ADJUTANT_DOCKER_ENV"

/**
 * Removes the container if the worker dies, since the end of the client does not end it. The guard reads file descriptor 3: if its other end closes
 * while the client is running, the worker has died. The guard belongs to the client's process group, so that the id of the group stays in use.
 */
const guard =
  '( { trap "" TERM INT HUP; IFS= read -r _ <&3; if kill -0 $$; then kill -KILL $$; "$_program" rm --force --volumes "$_name"; [ -z "$_file" ] || /bin/rm -rf -- "${_file%/*}"; kill -KILL -- -$$; fi; } >/dev/null 2>&1 & )'

/** Stores the start of docker's message. Keeps standard output open until it is written, and reads the rest so that no writer blocks. */
const keepMessage = `trap "" TERM INT HUP; IFS= read -r -d "" -n ${maxMessageCharacters} _words; printf %s "$_words" > "$_file"; while IFS= read -r -d "" -n 65536 _words || [ -n "$_words" ]; do :; done`

const script = [
  closeInherited,
  "_program=$1 _name=$2 _file=$3",
  "shift 3",
  guard,
  "exec 3<&-",
  `if [ -n "$_file" ]; then exec 2> >(${keepMessage}); fi`,
  `exec "$_program" run --env-file <(printf %s "$${linesVariable}") "$@"`,
].join("; ")

/** Returns how the client is started for one command. Its clean-up removes the container. */
export const dockerLaunch = async (request: DockerLaunchRequest): Promise<Launch> => {
  const { engine, name, onDockerMessage } = request
  const directory = onDockerMessage === undefined ? undefined : await mkdtemp(join(tmpdir(), "adjutant-docker-"))
  const file = directory === undefined ? "" : join(directory, "words")
  return {
    file: shellFile,
    args: [...shellFlags, script, "bash", engine.program, name, file, ...request.args],
    env: { ...request.env, [linesVariable]: request.envLines },
    cwd: "/",
    descriptor3: { type: "lifeline" },
    groupTakesSigterm: true,
    leavesNothing: true,
    async cleanUp() {
      await removeContainer(engine.client, name)
      if (directory === undefined) return
      onDockerMessage?.(await readFile(file, "utf8").catch(() => ""))
      await rm(directory, { recursive: true, force: true })
    },
  }
}
