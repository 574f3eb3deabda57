import type { Writer } from "../../database/database.ts"
import { lockSession } from "../sessions/lock-session.ts"

export interface CopyRange {
  readonly fromSessionId: string
  readonly toSessionId: string
  readonly headSeq: number
}

/** Copies messages to another session. Repeatable: rows that the target already has are not changed. */
export const copyMessages = async (db: Writer, { fromSessionId, toSessionId, headSeq }: CopyRange): Promise<void> => {
  const from = await lockSession(db, fromSessionId)
  const to = await lockSession(db, toSessionId)
  if (from === undefined || to === undefined) return

  await db
    .insertInto("run_ids")
    .columns(["run_id", "session_num"])
    .expression((eb) =>
      eb
        .selectFrom("messages")
        .innerJoin("run_ids", "run_ids.num", "messages.run_num")
        .select(["run_ids.run_id", eb.cast<number>(eb.val(to), "bigint").as("session_num")])
        .distinct()
        .where("messages.session_num", "=", from)
        .where("messages.seq", "<=", headSeq),
    )
    .onConflict((conflict) => conflict.columns(["run_id", "session_num"]).doNothing())
    .execute()

  await db
    .insertInto("messages")
    .columns(["session_num", "seq", "run_num", "step", "fence", "at", "body"])
    .expression((eb) =>
      eb
        .selectFrom("messages as source")
        .innerJoin("run_ids as old", "old.num", "source.run_num")
        .innerJoin("run_ids as new", (join) =>
          join.onRef("new.run_id", "=", "old.run_id").on("new.session_num", "=", to),
        )
        .select((e) => [
          e.cast<number>(e.val(to), "bigint").as("session_num"),
          "source.seq",
          "new.num",
          "source.step",
          "source.fence",
          "source.at",
          "source.body",
        ])
        .where("source.session_num", "=", from)
        .where("source.seq", "<=", headSeq)
        .orderBy("source.seq"),
    )
    .onConflict((conflict) => conflict.columns(["session_num", "seq"]).doNothing())
    .execute()
}
