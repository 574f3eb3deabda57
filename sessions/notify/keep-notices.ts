import { secretEnvOf } from "../../domain/notify/destination.ts"
import { errorMessage } from "../../domain/text/error-message.ts"
import type { SessionsContext } from "../sessions-context.ts"
import { examineDestination } from "./examine-destination.ts"
import { readNtfy } from "./replies/read-ntfy.ts"
import { readTelegram } from "./replies/read-telegram.ts"
import { updateDecided } from "./update-decided.ts"

/** Looks what people answered, and replaces the messages of pauses that have ended. */
export interface NoticeKeeper {
  /** One look. What fails is tried again at the next one, and is logged when its reason changes. */
  look(): Promise<void>
  /** Asks each service what its destination lacks, without side effects. Returns what is wrong. */
  examine(): Promise<readonly string[]>
}

/** Creates the keeper of a process. Several processes can look at the same time: a word counts once, and a repeated press decides nothing more. */
export const createNoticeKeeper = (context: SessionsContext): NoticeKeeper => {
  const { loaded, env, store, logger } = context
  const done = new Set<string>()
  const since = new Map<string, string>()
  const offsets = new Map<string, number>()
  const problems = new Map<string, string>()
  const tryTo = async (what: string, work: () => Promise<void>): Promise<void> => {
    try {
      await work()
      problems.delete(what)
    } catch (error) {
      const problem = errorMessage(error)
      if (problems.get(what) !== problem)
        logger.warn({ error: problem, what }, "messages to people could not be kept up to date")
      problems.set(what, problem)
    }
  }
  const readReplies = async (): Promise<void> => {
    for (const [name, destination] of Object.entries(loaded.config.notify)) {
      const token = env[secretEnvOf(destination)]?.trim() ?? ""
      if (destination.type === "ntfy" && destination.person !== undefined)
        await tryTo(name, async () => {
          since.set(name, await readNtfy(context, destination, { token, since: since.get(name) }))
        })
      if (destination.type === "telegram" && token !== "")
        await tryTo(name, async () => {
          offsets.set(token, await readTelegram(context, destination, { token, offset: offsets.get(token) }))
        })
    }
  }
  return {
    examine: async () => {
      const found = await Promise.all(
        Object.entries(loaded.config.notify).map(async ([name, destination]) => {
          const problem = await examineDestination(destination, env).catch(() => "its service could not be reached")
          return problem === undefined ? [] : [`notify.${name}: ${problem}`]
        }),
      )
      return found.flat()
    },
    look: async () => {
      const waits = await store.pauses.listOpen()
      if (waits.length > 0) await readReplies()
      await tryTo("updates", () => updateDecided(context, done))
    },
  }
}
