import { once } from "node:events"
import { fileURLToPath } from "node:url"
import { Worker } from "node:worker_threads"
import type { ConfinedPath } from "../disk/open-confined.ts"
import { ToolFailure } from "../tool-failure.ts"
import type { TreeOptions } from "./directory-tree.ts"

/** A search with patterns of a model. Some patterns take practically endless time and memory to match. */
export type SearchJob =
  | { readonly kind: "files"; readonly pattern: string; readonly cwd: string; readonly ignore: readonly string[] }
  | ({ readonly kind: "tree"; readonly root: ConfinedPath } & TreeOptions)

/** What a job answers: the paths of files, or a drawn tree. */
interface SearchValues {
  readonly files: readonly string[]
  readonly tree: string
}

export interface FileSearchAnswer {
  readonly value?: SearchValues[keyof SearchValues]
  readonly failure?: { readonly message: string; readonly code: string | undefined; readonly isExpected: boolean }
}

export interface ThreadLimits {
  readonly signal: AbortSignal
  /** Default: one minute. */
  readonly timeoutMs?: number
}

const defaultTimeoutMs = 60_000
const memoryMib = 512

const threadFile = (): string => {
  const extension = import.meta.url.endsWith(".ts") ? ".ts" : ".js"
  return fileURLToPath(new URL(`./search-thread${extension}`, import.meta.url))
}

const errorOf = ({ message, code, isExpected }: NonNullable<FileSearchAnswer["failure"]>): Error =>
  isExpected ? new ToolFailure(message) : Object.assign(new Error(message), { code })

const unexpectedEnd = (error: unknown): Error =>
  error instanceof Error && "code" in error && error.code === "ERR_WORKER_OUT_OF_MEMORY"
    ? new ToolFailure("the search needs too much memory; use a simpler pattern or a deeper directory")
    : new Error("the search stopped unexpectedly", { cause: error })

const answerOf = async (job: SearchJob, signal: AbortSignal, timeoutMs: number): Promise<FileSearchAnswer> => {
  const timeout = AbortSignal.timeout(timeoutMs)
  const resourceLimits = { maxOldGenerationSizeMb: memoryMib }
  const thread = new Worker(threadFile(), { workerData: job, env: {}, resourceLimits })
  try {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the thread posts nothing else
    const [answer] = (await once(thread, "message", { signal: AbortSignal.any([signal, timeout]) })) as [
      FileSearchAnswer,
    ]
    return answer
  } catch (error) {
    signal.throwIfAborted()
    if (timeout.aborted)
      throw new ToolFailure(`the search took longer than ${timeoutMs} ms; use a simpler pattern or a deeper directory`)
    throw unexpectedEnd(error)
  } finally {
    await thread.terminate()
  }
}

/**
 * Runs a search in a thread of its own, which is ended on abort, after the time limit, or when it needs too much memory.
 * @throws ToolFailure if a limit ends it; the signal's reason on abort
 */
export const runInThread = async <Job extends SearchJob>(
  job: Job,
  { signal, timeoutMs = defaultTimeoutMs }: ThreadLimits,
): Promise<SearchValues[Job["kind"]]> => {
  signal.throwIfAborted()
  const { value, failure } = await answerOf(job, signal, timeoutMs)
  if (failure !== undefined) throw errorOf(failure)
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the kind of the job decides what it answers
  return value as SearchValues[Job["kind"]]
}
