import type { WorkflowBuild } from "../../domain/engine/workflow-build.ts"
import { fromJson, toJson } from "../columns/json-column.ts"
import type { Database } from "../database/database.ts"

/** The key in `meta`. */
const key = "workflow-build"

/** Creates access to the build that executes the store's workflow tasks, which is stored in `meta`. */
export const createCurrentBuild = (database: Database) => ({
  /** Undefined before the first worker that records it. */
  read: async () => {
    const row = await database.read((db) =>
      db.selectFrom("meta").select("value").where("key", "=", key).executeTakeFirst(),
    )
    return row === undefined ? undefined : fromJson<WorkflowBuild>(row.value)
  },

  write: (build: WorkflowBuild) =>
    database.write(async (db) => {
      const value = toJson(build)
      await db
        .insertInto("meta")
        .values({ key, value })
        .onConflict((conflict) => conflict.column("key").doUpdateSet({ value }))
        .execute()
    }, "crash"),
})
