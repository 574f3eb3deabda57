// Starts a run whose writes require approval, reads the pending calls, and decides each of them. Runs offline:
//   node --conditions=adjutant-source examples/library/decide-from-code.ts      (in a checkout)
//   node decide-from-code.ts                                                    (with the package installed)
import { mkdtemp, readFile, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import { connect } from "adjutant"
import type { CallDecision } from "adjutant/contracts"
import { runWorker } from "adjutant/worker"

const here = import.meta.dirname
const place = { cwd: here, configPath: `${here}/adjutant.config.yaml` }
const actor = { by: "release-bot", via: "library" }

/** Applies the program's own policy: only files of the project may be written. */
const decide = (args: Readonly<Record<string, unknown>>): CallDecision => {
  const { file_path: file } = args
  const isInside = typeof file === "string" && !path.isAbsolute(file) && !file.split("/").includes("..")
  return isInside ? { action: "accept" } : { action: "reject", content: "the file is outside the project" }
}

const workspace = await mkdtemp(path.join(tmpdir(), "adjutant-example-"))
const client = await connect(place)
const worker = await runWorker(place)
try {
  const { sessionId } = await client.start({
    prompt: "Release it.",
    model: "deploy",
    auto_approve: false,
    cwd: workspace,
  })
  let outcome = await client.wait(sessionId)
  while (outcome?.outcome === "paused") {
    const { checkpoint_id: checkpointId, pending } = await client.pending(sessionId)
    for (const call of pending) console.log(call.name, call.arguments["file_path"], decide(call.arguments).action)
    await client.decide({
      sessionId,
      ...(checkpointId === null ? {} : { checkpointId }),
      decisions: Object.fromEntries(pending.map((call) => [call.id, decide(call.arguments)])),
      unlisted: "pending",
      actor,
    })
    outcome = await client.wait(sessionId)
  }
  console.log(outcome)
  console.log(await readFile(path.join(workspace, "RELEASE.md"), "utf8"))
} finally {
  await worker.stop()
  await client.close()
  await rm(workspace, { recursive: true, force: true })
}
