import { loadConnectionProfile } from "../../server/connection/connection-profile.ts"
import { ensureTemporalProgram } from "../../server/program/ensure-temporal-program.ts"
import type { Finding } from "../../server/diagnose/finding.ts"
import type { CliContext } from "../program/cli-context.ts"
import { Interrupted, orInterrupted } from "../terminal/interrupts.ts"

/** Prepares one thing that a start needs, and returns how, in words. */
type Preparation = (context: CliContext, onProgress: (line: string) => void) => Promise<string>

const prepareTemporal: Preparation = async ({ env, interrupts }, onProgress) => {
  const profile = loadConnectionProfile(env)
  if (profile !== undefined) return `not needed: Temporal at ${profile.address} is used`
  const { path, source } = await ensureTemporalProgram({ env, signal: interrupts.signal, onProgress })
  return { path: "on PATH", cache: "in the cache", download: "downloaded", go: "built" }[source] + `, ${path}`
}

const prepareWorkflows: Preparation = async ({ env }, onProgress) => {
  const { findWorkflowBundle } = await import("../../worker/workflow-bundle.ts")
  const { source } = await findWorkflowBundle(env, onProgress)
  return { package: "come with the package", cache: "in the cache", built: "bundled" }[source]
}

/** Loads the modules of the program: Node keeps their compiled code in the user's cache. */
const prepareCode: Preparation = async () => {
  await Promise.all([
    import("../host/open-session-host.ts"),
    import("../mcp/serve-client.ts"),
    import("../../worker/start-worker.ts"),
    import("../../http/create-http-server.ts"),
    import("../../mcp/http-endpoint.ts"),
  ])
  return "compiled"
}

const preparations: readonly (readonly [name: string, prepare: Preparation, hint: string])[] = [
  ["prepare temporal", prepareTemporal, "see the finding `temporal` below"],
  ["prepare workflows", prepareWorkflows, "install the package again"],
  ["prepare code", prepareCode, "install the package again"],
]

/**
 * Prepares what a first start would wait for: the Temporal program, the workflow bundle, compiled code. Starts no server and writes only to caches.
 * Throws `Interrupted` on a signal.
 */
export const prepare = async (context: CliContext): Promise<readonly Finding[]> => {
  const onProgress = (line: string): void => void context.io.stderr.write(`${line}\n`)
  const findings: Finding[] = []
  for (const [name, run, hint] of preparations) {
    try {
      const detail = await orInterrupted(context.interrupts, run(context, onProgress))
      findings.push({ name, status: "ok", detail })
    } catch (error) {
      if (error instanceof Interrupted) throw error
      findings.push({ name, status: "fail", detail: error instanceof Error ? error.message : String(error), hint })
    }
  }
  return findings
}
