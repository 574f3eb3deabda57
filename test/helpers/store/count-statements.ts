import { StatementSync } from "node:sqlite"
import { asyncLocalStorage } from "@temporalio/activity"
import pg from "pg"

/** A statement that an activity has sent to the store's database. */
export interface SentStatement {
  readonly activity: string
  readonly sql: string
  /** The places in the sources that it comes from, the innermost first; empty unless they were asked for. */
  readonly callers: readonly string[]
}

interface StatementCounter {
  /** Returns what was sent since the last call. */
  take(): readonly SentStatement[]
  /** Takes the counter out of the drivers. */
  stop(): void
}

interface CountOptions {
  /** Whose activities are counted. */
  readonly workflowId: () => string
  /** Whether to look for the callers, which is slow. */
  readonly callers: boolean
}

const methods = ["all", "run", "get", "iterate"] as const
const deepestStack = 60
const sourcePlace = /\/((?:activities|sessions|store)\/[\w/-]+\.ts:\d+)/
const driverPlace = /^store\/(?:sqlite|postgres)\//

const readCallers = (): readonly string[] => {
  const { stackTraceLimit } = Error
  Error.stackTraceLimit = deepestStack
  const { stack = "" } = new Error("a statement")
  Error.stackTraceLimit = stackTraceLimit
  return stack.split("\n").flatMap((line) => {
    const place = sourcePlace.exec(line)?.[1]
    return place === undefined || driverPlace.test(place) || line.includes("/test/") ? [] : [place]
  })
}

const textOf = (statement: unknown): string =>
  typeof statement === "object" && statement !== null && "text" in statement
    ? String(statement.text)
    : String(statement)

/** It is sent outside of transactions, on a connection of its own, and nobody waits for it. */
const isNotification = (sql: string): boolean => sql.startsWith("notify ")

/**
 * Counts, in the drivers of both databases, the statements that a workflow's activities send, the beginnings and ends of transactions included. Those of
 * timers and of clients are not counted.
 */
export const countStatements = ({ workflowId, callers }: CountOptions): StatementCounter => {
  let sent: SentStatement[] = []
  const add = (sql: string): void => {
    const info = asyncLocalStorage.getStore()?.info
    if (info === undefined || info.workflowExecution?.workflowId !== workflowId() || isNotification(sql)) return
    sent.push({ activity: info.activityType, sql, callers: callers ? readCallers() : [] })
  }
  const originals = methods.map((name) => [name, StatementSync.prototype[name]] as const)
  for (const [name, original] of originals)
    Object.assign(StatementSync.prototype, {
      [name](this: StatementSync, ...parameters: readonly unknown[]): unknown {
        add(this.sourceSQL)
        return Reflect.apply(original, this, parameters)
      },
    })
  const { query } = pg.Client.prototype
  Object.assign(pg.Client.prototype, {
    query(this: pg.Client, ...args: readonly unknown[]): unknown {
      add(textOf(args[0]))
      return Reflect.apply(query, this, args)
    },
  })
  return {
    take() {
      const taken = sent
      sent = []
      return taken
    },
    stop() {
      Object.assign(StatementSync.prototype, Object.fromEntries(originals))
      Object.assign(pg.Client.prototype, { query })
    },
  }
}
