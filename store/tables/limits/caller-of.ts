import { type Expression, sql } from "kysely"
import { builtInCallers, httpCallerId } from "../../../domain/caller/caller-id.ts"

/** Returns who started the tree of the session with a number, as usage names it; `local` is the user of this machine. */
export const callerOf = (session: number | Expression<number>) =>
  sql<string>`coalesce((select case when root.caller = ${httpCallerId(builtInCallers.local)} or root.caller like 'cli:%' then 'local' else root.caller end
    from sessions as own join sessions as root on root.id = own.root_id where own.num = ${session}), 'local')`
