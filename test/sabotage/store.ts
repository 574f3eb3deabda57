import type { Fault } from "../../scripts/sabotage/fault.ts"

export const store: readonly Fault[] = [
  {
    name: "the key of a request whose process died is never free again",
    file: "store/tables/idempotency-keys.ts",
    find: "row.claimed_at + claim.leaseMs > now",
    replace: "row.claimed_at + claim.leaseMs > 0",
  },
  {
    name: "a message that is sent again with another text replaces the first",
    file: "store/tables/messages/inbox.ts",
    find: `conflict.columns(["session_num", "id"]).doNothing()`,
    replace: `conflict.columns(["session_num", "id"]).doUpdateSet({ text: toJson(row.text) })`,
    triedFirst: "test/unit/store/side-tables.test.ts",
  },
  {
    name: "a call that ends after midnight counts for the next day",
    file: "store/tables/limits/daily-usage.ts",
    find: "reserved?.day ?? dayOf(added.at)",
    replace: "dayOf(added.at)",
  },
  {
    name: "the cost of a call that is recorded again counts twice for the day",
    file: "store/tables/usage-ledger.ts",
    find: "(entry.costMicroUsd ?? 0) - before.microUsd",
    replace: "entry.costMicroUsd ?? 0",
  },
  {
    name: "a total with an unknown price shows the sum of the known ones",
    file: "store/tables/usage-ledger.ts",
    find: "Number(sums.calls) === Number(sums.priced)",
    replace: "Number(sums.priced) > 0",
  },
  {
    name: "a follower misses an event that is appended while it reads",
    file: "store/events/event-feed.ts",
    find: "if (seen !== this.generation) wake()",
    replace: "if (seen > this.generation) wake()",
  },
  {
    name: "a fork contains the messages after its point",
    file: "store/tables/messages/copy-messages.ts",
    find: `        .where("source.seq", "<=", headSeq)\n`,
    replace: "",
  },
  {
    name: "the deltas of an answer that was not written are removed",
    file: "store/tables/messages/compact-deltas.ts",
    find: `selectFrom("messages").select("seq").where("session_num", "=", sessionNum).where("seq", "=", seq)`,
    replace: `selectFrom("sessions").select("num").where("num", "=", sessionNum)`,
  },
  {
    name: "a delivery that has ended is changed by a late attempt",
    file: "store/tables/delivery/deliveries.ts",
    find: `        .where("status", "in", [...from])\n`,
    replace: "",
  },
  {
    name: "a session has more active grants than it may",
    file: "store/tables/pauses/grants.ts",
    find: "Number(active) >= most",
    replace: "Number(active) > most",
  },
  {
    name: "a thread that a session leaves still leads to it",
    file: "store/tables/delivery/bindings.ts",
    find: `eb.or([eb("session_num", "=", session), eb.and(`,
    replace: `eb.or([eb.and(`,
  },
]
