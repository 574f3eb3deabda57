import type { Amounts } from "../../domain/limits/daily-limits.ts"
import { countedTokens, type UsageTotals } from "../../domain/limits/usage-totals.ts"
import { sql } from "kysely"
import { builtInCallers } from "../../domain/caller/caller-id.ts"
import type { Database, Reader, Writer } from "../database/database.ts"
import { callerOf } from "./limits/caller-of.ts"
import { settleCall } from "./limits/daily-usage.ts"
import { reportUsage, type UsageQuery } from "./limits/usage-report.ts"
import { summedTokens, usageSums } from "./limits/usage-sums.ts"
import { sessionNum, writeToRun } from "./sessions/lock-session.ts"
import { runNumber } from "./sessions/run-number.ts"
import { prepared } from "../database/prepared-query.ts"
import type { DatabaseSchema } from "../schema/schema.ts"
import type { Fence } from "./fence.ts"

export interface UsageEntry extends UsageTotals {
  readonly sessionId: string
  readonly runId: string
  readonly step: number
  readonly fence: Fence
  readonly model: string
}

interface EntryKey {
  readonly session_num: number
  readonly run_num: number
  readonly step: number
  readonly fence: Fence
}

/** Returns what an entry counts that is stored already. */
const storedAmounts = async (db: Writer, key: EntryKey): Promise<Amounts> => {
  const row = await db
    .selectFrom("usage")
    .selectAll()
    .where("session_num", "=", key.session_num)
    .where("run_num", "=", key.run_num)
    .where("step", "=", key.step)
    .where("fence", "=", key.fence)
    .executeTakeFirstOrThrow()
  const { input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, cost_micro_usd } = row
  return {
    microUsd: Number(cost_micro_usd ?? 0),
    tokens: [input_tokens, output_tokens, cache_read_tokens, cache_write_tokens].reduce((sum, n) => sum + Number(n), 0),
  }
}

interface Written {
  /** What the entry counted before. */
  readonly before: Amounts
  /** Whether it is the only one of its step. */
  readonly isOnly: boolean
  readonly isReserved: boolean
}

const insertEntry = prepared((db, entry: Omit<DatabaseSchema["usage"], "caller">) => {
  const others = sql<number>`(select count(*) from usage as other where other.session_num = ${entry.session_num}
    and other.run_num = ${entry.run_num} and other.step = ${entry.step} and other.fence <> ${entry.fence})`
  const reserved = sql<number>`(select count(*) from call_reservations as reserved where reserved.session_num = ${entry.session_num}
    and reserved.run_num = ${entry.run_num} and reserved.step = ${entry.step})`
  return db
    .insertInto("usage")
    .values({
      session_num: entry.session_num,
      run_num: entry.run_num,
      step: entry.step,
      fence: entry.fence,
      model: entry.model,
      input_tokens: entry.input_tokens,
      output_tokens: entry.output_tokens,
      cache_read_tokens: entry.cache_read_tokens,
      cache_write_tokens: entry.cache_write_tokens,
      reasoning_tokens: entry.reasoning_tokens,
      cost_micro_usd: entry.cost_micro_usd,
      at: entry.at,
      caller: callerOf(entry.session_num),
    })
    .onConflict((conflict) => conflict.columns(["session_num", "run_num", "step", "fence"]).doNothing())
    .returning([others.as("others"), reserved.as("reserved")])
})

const writeEntry = async (
  db: Writer,
  { at, ...key }: EntryKey & { readonly at: number },
  amounts: Omit<DatabaseSchema["usage"], keyof EntryKey | "at" | "caller">,
): Promise<Written> => {
  const [inserted] = (await insertEntry(db, { ...key, ...amounts, at })).rows
  if (inserted !== undefined)
    return {
      before: { microUsd: 0, tokens: 0 },
      isOnly: Number(inserted.others) === 0,
      isReserved: Number(inserted.reserved) > 0,
    }
  const before = await storedAmounts(db, key)
  await db
    .updateTable("usage")
    .set(amounts)
    .where("session_num", "=", key.session_num)
    .where("run_num", "=", key.run_num)
    .where("step", "=", key.step)
    .where("fence", "=", key.fence)
    .execute()
  return { before, isOnly: false, isReserved: true }
}

type UsageFilter = Parameters<UsageLedger["total"]>[0]

const readTotal = async (db: Reader, { sessionId, runId, step }: UsageFilter): Promise<UsageTotals> => {
  let query = db
    .selectFrom("usage")
    .where("session_num", "=", sessionNum(db, sessionId))
    .select([...usageSums])
  if (runId !== undefined)
    query = query.where("run_num", "in", (eb) => eb.selectFrom("run_ids").select("num").where("run_id", "=", runId))
  if (step !== undefined) query = query.where("step", "=", step)
  const sums = await query.executeTakeFirstOrThrow()
  return {
    ...summedTokens(sums),
    costMicroUsd: Number(sums.calls) === Number(sums.priced) ? Number(sums.costMicroUsd ?? 0) : null,
  }
}

const putEntry = async (
  db: Writer,
  session: number,
  { entry, at }: { entry: UsageEntry; at: number },
): Promise<UsageTotals> => {
  const key = {
    session_num: session,
    run_num: await runNumber(db, session, entry.runId),
    step: entry.step,
    fence: entry.fence,
  }
  const amounts = {
    model: entry.model,
    input_tokens: entry.inputTokens,
    output_tokens: entry.outputTokens,
    cache_read_tokens: entry.cacheReadTokens,
    cache_write_tokens: entry.cacheWriteTokens,
    reasoning_tokens: entry.reasoningTokens,
    cost_micro_usd: entry.costMicroUsd,
  }
  const { before, isOnly, isReserved } = await writeEntry(db, { ...key, at }, amounts)
  const added = {
    microUsd: (entry.costMicroUsd ?? 0) - before.microUsd,
    tokens: countedTokens(entry) - before.tokens,
    ...{ at, isReserved },
  }
  await settleCall(db, { session, run: key.run_num, step: entry.step }, added)
  return isOnly ? entry : readTotal(db, entry)
}

export const createUsageLedger = (database: Database) => ({
  /**
   * Stores the usage of one attempt, and adds it to the totals of its day, in place of what was reserved for the step; idempotent by
   * (session, run, step, fence). Returns the sums over all attempts of the step.
   */
  put: async (entry: UsageEntry) =>
    (await writeToRun(database, entry, (db, session) => putEntry(db, session, { entry, at: database.now() }))) ?? entry,

  /** Returns the sums over all attempts; `costMicroUsd` is null if that of any entry is, and 0 if there is no entry. */
  total: (filter: { sessionId: string; runId?: string; step?: number }) => database.read((db) => readTotal(db, filter)),

  /** Returns who started the tree of a session. */
  callerOf: (sessionId: string) =>
    database.read(async (db) => {
      const row = await db
        .selectFrom("sessions")
        .where("id", "=", sessionId)
        .select(({ ref }) => callerOf(ref("sessions.num")).as("caller"))
        .executeTakeFirst()
      return row?.caller ?? builtInCallers.local
    }),

  /** Returns what calls of a time used, in groups. */
  report: (query: UsageQuery) => database.read((db) => reportUsage(db, query)),
})

export type UsageLedger = ReturnType<typeof createUsageLedger>
