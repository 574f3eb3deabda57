import { parentPort, workerData } from "node:worker_threads"
import { glob } from "tinyglobby"
import { systemCode } from "../../domain/text/error-message.ts"
import { ToolFailure } from "../tool-failure.ts"
import { directoryTree } from "./directory-tree.ts"
import type { FileSearchAnswer, SearchJob } from "./run-in-thread.ts"

const run = (job: SearchJob): Promise<FileSearchAnswer["value"]> =>
  job.kind === "tree"
    ? directoryTree(job.root, job)
    : glob(job.pattern, {
        cwd: job.cwd,
        absolute: true,
        dot: true,
        followSymbolicLinks: false,
        expandDirectories: false,
        ignore: [...job.ignore],
      })

const searchFailure = (error: unknown): FileSearchAnswer => {
  const message = error instanceof Error ? error.message : String(error)
  return { failure: { message, code: systemCode(error), isExpected: error instanceof ToolFailure } }
}

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `run-in-thread.ts` alone starts this thread
const job = workerData as SearchJob
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
parentPort?.postMessage(await run(job).then((value): FileSearchAnswer => ({ value }), searchFailure))
