import { homedir } from "node:os"
import { createGoProgress, goComplaint } from "./go-output.ts"
import { programOnPath } from "./program-on-path.ts"
import type { ProgramAttempt, ProgramSearch } from "./program-search.ts"
import { lastLine, runUntilDone } from "../process/run-until-done.ts"
import { temporalCliVersion } from "./temporal-version.ts"

/** Builds `temporal` into the folder with Go. This takes minutes and has no time limit. */
export const buildTemporalProgram = async (folder: string, search: ProgramSearch): Promise<ProgramAttempt> => {
  const go = programOnPath("go", search.env)
  if (go === undefined) return { ok: false, reason: "no `go` on PATH" }
  const progressEveryMs = search.progressEveryMs ?? 5_000
  const progress = createGoProgress()
  const reportElapsed = (elapsedMs: number): void => {
    const details = [`${Math.round(elapsedMs / 1000)} s`, progress.text()].filter((text) => text !== "")
    search.onProgress?.(`building the Temporal server once (3–7 minutes) … ${details.join(", ")}`)
  }
  reportElapsed(0)
  const end = await runUntilDone({
    program: go,
    args: ["install", "-v", `github.com/temporalio/cli/cmd/temporal@${temporalCliVersion}`],
    cwd: folder,
    env: { ...goEnvironment(search.env), GOBIN: folder },
    signal: search.signal,
    everyMs: progressEveryMs,
    onErrorText: (text) => progress.read(text),
    watch: (elapsedMs) => {
      reportElapsed(elapsedMs)
      return "continue"
    },
  })
  return end.exitCode === 0
    ? { ok: true }
    : { ok: false, reason: `building with Go failed: ${lastLine(goComplaint(end.errorText))}` }
}

const passedOn =
  /^(PATH|HOME|TMPDIR|XDG_(CACHE|CONFIG)_HOME|SSL_CERT_(FILE|DIR)|CC|CXX|CGO_\w+|GO[A-Z]+|GIT_\w+|(HTTPS?|NO|ALL)_PROXY|(https?|no|all)_proxy)$/

// Settings for another system or architecture would build an unusable program, and make `go install` refuse GOBIN.
const notForHere = new Set(["GOOS", "GOARCH", "GOFLAGS"])

/** Returns the environment of Go. Without C, the program also runs as a user who has no entry in the system's list, as in a container. */
export const goEnvironment = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv => ({
  HOME: homedir(),
  CGO_ENABLED: "0",
  ...Object.fromEntries(Object.entries(env).filter(([name]) => passedOn.test(name) && !notForHere.has(name))),
})
