import { AdjutantError } from "../../../contracts/adjutant-error.ts"
import { dockerWords } from "./docker-engine.ts"

export const unavailable = (failure: string): AdjutantError =>
  new AdjutantError("sandbox_unavailable", `The command could not be run: ${failure}.`)

/** 125 is docker's own failure; 126 and 127 come with words of docker's, or of the container's init, where the command cannot be started. */
export const isOfDocker = (exitCode: number | null, words: string): boolean => {
  if (exitCode === 125) return dockerWords(words) !== ""
  return (exitCode === 126 || exitCode === 127) && /^(?:docker: |\[FATAL tini )/m.test(words)
}

/** A program shares standard error with docker, so there docker's words have to be known from its own. */
export const wordsAmong = (stderr: string): string =>
  stderr
    .split("\n")
    .filter((line) =>
      /^(?:docker: |unknown flag|error waiting for container|\[FATAL tini |(?:Run|See) 'docker )/.test(line),
    )
    .join("\n")
