import type { AdjutantError } from "../../../contracts/adjutant-error.ts"
import { sandboxUnavailable } from "../../sandbox-unavailable.ts"
import { dockerMessage } from "./docker-engine.ts"

export const unavailable = (failure: string): AdjutantError =>
  sandboxUnavailable(`the command could not be run: ${failure}`)

/** Returns whether docker itself failed: with exit code 125, or with 126 or 127 and a message of docker or the container's init. */
export const isDockerFailure = (exitCode: number | null, message: string): boolean => {
  if (exitCode === 125) return dockerMessage(message) !== ""
  return (exitCode === 126 || exitCode === 127) && /^(?:docker: |\[FATAL tini )/m.test(message)
}

/** Returns docker's own lines, which it recognizes by their form, since a program shares standard error with docker. */
export const dockerLines = (stderr: string): string =>
  stderr
    .split("\n")
    .filter((line) =>
      /^(?:docker: |unknown flag|error waiting for container|\[FATAL tini |(?:Run|See) 'docker )/.test(line),
    )
    .join("\n")

/** Messages of engines that do not have a directory of the worker. Docker Desktop has only those that its settings share. */
const withoutDirectory = /bind source path does not exist|is not shared from the host|mounts denied/i

/** Returns why docker failed, by its message. An engine that does not have the worker's directories is another machine's, or that of a container's host. */
export const whyItFailed = (message: string, image: string): string =>
  `docker failed: ${message} (image ${image})` +
  (withoutDirectory.test(message)
    ? "; the engine does not see this worker's files: it is on another machine, or the worker is itself in a container. " +
      "Run the worker on the machine of the engine, mount its directories in both at the same paths, or name another backend in security.sandboxBackends"
    : "")
