import { once } from "node:events"
import { fileURLToPath } from "node:url"
import { Worker } from "node:worker_threads"
import { ToolFailure } from "../tool-failure.ts"

/** A page as people read it, in Markdown. */
export interface PageText {
  readonly title: string
  readonly text: string
}

const maxThreadMib = 512

const threadFile = (): string => {
  const extension = import.meta.url.endsWith(".ts") ? ".ts" : ".js"
  return fileURLToPath(new URL(`./page-thread${extension}`, import.meta.url))
}

/**
 * Returns the text of an HTML page. It is read in a thread of its own, since a page can be made so that this takes practically endless time and memory.
 * @throws ToolFailure if it takes too much of them; the signal's reason on abort
 */
export const pageText = async (html: string, signal: AbortSignal): Promise<PageText> => {
  const thread = new Worker(threadFile(), {
    workerData: html,
    env: {},
    resourceLimits: { maxOldGenerationSizeMb: maxThreadMib },
  })
  try {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the thread posts nothing else
    const [page] = (await once(thread, "message", { signal })) as [PageText]
    return page
  } catch (error) {
    signal.throwIfAborted()
    throw new ToolFailure("the page could not be read as HTML", { cause: error })
  } finally {
    await thread.terminate()
  }
}
