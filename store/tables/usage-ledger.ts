import type { Amounts } from "../../domain/limits/daily-limits.ts"
import { countedTokens, type UsageTotals } from "../../domain/limits/usage-totals.ts"
import type { Database, Writer } from "../database.ts"
import { settleCall } from "./limits/daily-usage.ts"
import { sessionNum, writeToRun } from "./sessions/lock-session.ts"
import { runNumber } from "./sessions/run-number.ts"
import type { Schema } from "../schema.ts"
import type { Fence } from "./fence.ts"

export interface UsageEntry extends UsageTotals {
  readonly sessionId: string
  readonly runId: string
  readonly step: number
  readonly fence: Fence
  readonly model: string
}

export interface UsageLedger {
  /**
   * Stores the usage of one attempt, and adds it to the totals of its day, in place of what was reserved for the step; idempotent by
   * (session, run, step, fence).
   */
  put(entry: UsageEntry): Promise<void>
  /** Returns the sums over all attempts; `costMicroUsd` is null if that of any entry is, and 0 if there is no entry. */
  total(filter: { sessionId: string; runId?: string; step?: number }): Promise<UsageTotals>
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

/** Stores an entry, and returns what it counted before. */
const writeEntry = async (
  db: Writer,
  key: EntryKey,
  amounts: Omit<Schema["usage"], keyof EntryKey>,
): Promise<Amounts> => {
  const { numInsertedOrUpdatedRows = 0n } = await db
    .insertInto("usage")
    .values({ ...key, ...amounts })
    .onConflict((conflict) => conflict.columns(["session_num", "run_num", "step", "fence"]).doNothing())
    .executeTakeFirstOrThrow()
  if (numInsertedOrUpdatedRows > 0n) return { microUsd: 0, tokens: 0 }
  const before = await storedAmounts(db, key)
  await db
    .updateTable("usage")
    .set(amounts)
    .where("session_num", "=", key.session_num)
    .where("run_num", "=", key.run_num)
    .where("step", "=", key.step)
    .where("fence", "=", key.fence)
    .execute()
  return before
}

const putEntry = async (
  db: Writer,
  session: number,
  { entry, at }: { entry: UsageEntry; at: number },
): Promise<void> => {
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
  const before = await writeEntry(db, key, amounts)
  const added = {
    microUsd: (entry.costMicroUsd ?? 0) - before.microUsd,
    tokens: countedTokens(entry) - before.tokens,
    at,
  }
  await settleCall(db, { session, run: key.run_num, step: entry.step }, added)
}

export const createUsageLedger = (database: Database): UsageLedger => ({
  put: async (entry) => {
    await writeToRun(database, entry, (db, session) => putEntry(db, session, { entry, at: database.now() }))
  },

  total: ({ sessionId, runId, step }) =>
    database.read(async (db) => {
      let query = db
        .selectFrom("usage")
        .where("session_num", "=", sessionNum(db, sessionId))
        .select(({ fn }) => [
          fn.sum<number | null>("input_tokens").as("inputTokens"),
          fn.sum<number | null>("output_tokens").as("outputTokens"),
          fn.sum<number | null>("cache_read_tokens").as("cacheReadTokens"),
          fn.sum<number | null>("cache_write_tokens").as("cacheWriteTokens"),
          fn.sum<number | null>("reasoning_tokens").as("reasoningTokens"),
          fn.sum<number | null>("cost_micro_usd").as("costMicroUsd"),
          fn.countAll<number>().as("entries"),
          fn.count<number>("cost_micro_usd").as("priced"),
        ])
      if (runId !== undefined)
        query = query.where("run_num", "in", (eb) => eb.selectFrom("run_ids").select("num").where("run_id", "=", runId))
      if (step !== undefined) query = query.where("step", "=", step)
      const sums = await query.executeTakeFirstOrThrow()
      return {
        inputTokens: Number(sums.inputTokens ?? 0),
        outputTokens: Number(sums.outputTokens ?? 0),
        cacheReadTokens: Number(sums.cacheReadTokens ?? 0),
        cacheWriteTokens: Number(sums.cacheWriteTokens ?? 0),
        reasoningTokens: Number(sums.reasoningTokens ?? 0),
        costMicroUsd: Number(sums.entries) === Number(sums.priced) ? Number(sums.costMicroUsd ?? 0) : null,
      }
    }),
})
