import type { AdjutantError } from "../../../contracts/adjutant-error.ts"
import { sandboxUnavailable } from "../sandbox-unavailable.ts"
import { dockerMessage } from "./docker-engine.ts"

export const unavailable = (failure: string): AdjutantError =>
  sandboxUnavailable(`The command could not be run: ${failure}.`)

/** 125 is docker's own failure; 126 and 127 come with a message of docker's, or of the container's init, where the command cannot be started. */
export const isDockerFailure = (exitCode: number | null, message: string): boolean => {
  if (exitCode === 125) return dockerMessage(message) !== ""
  return (exitCode === 126 || exitCode === 127) && /^(?:docker: |\[FATAL tini )/m.test(message)
}

/** A program shares standard error with docker, so there docker's lines are recognized by their form. */
export const dockerLines = (stderr: string): string =>
  stderr
    .split("\n")
    .filter((line) =>
      /^(?:docker: |unknown flag|error waiting for container|\[FATAL tini |(?:Run|See) 'docker )/.test(line),
    )
    .join("\n")
