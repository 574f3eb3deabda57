import { AdjutantError } from "../../contracts/adjutant-error.ts"
import type { Environment } from "../../domain/environment.ts"
import { isFinal } from "../../domain/run/is-final.ts"
import { hasVariableOf, keyIsSet } from "./fields/resolve-keys.ts"
import { sessionPages } from "../rows/page.ts"
import type { SessionRow, Store } from "../../store/store.ts"

type RunsOfSessions = Pick<Store, "sessions" | "runs" | "snapshots">

/** Returns the model of a session's last run as the run has it. */
const modelOf = async ({ runs, snapshots }: RunsOfSessions, { runId, model }: SessionRow) => {
  const run = runId === null ? undefined : await runs.get(runId)
  const snapshot = run === undefined ? undefined : await snapshots.get(run.snapshotHash)
  return snapshot?.models[model] ?? snapshot?.models[snapshot.model]
}

/**
 * Requires the keys of the open runs of a tree, before a worker of this process takes the tree's work: without them, its model calls would fail.
 * Throws `key_missing`.
 */
export const requireTreeKeys = async (store: RunsOfSessions, rootId: string, env: Environment): Promise<void> => {
  for await (const page of sessionPages(store, { rootId })) {
    for (const row of page.filter(({ status }) => !isFinal(status))) {
      const spec = await modelOf(store, row)
      if (spec?.apiKeyEnv === undefined || keyIsSet(spec, hasVariableOf(env))) continue
      throw new AdjutantError(
        "key_missing",
        `task ${row.id} uses model ${row.model} (${spec.provider} ${spec.model}), which requires a key: set ${spec.apiKeyEnv} and run the command again`,
      )
    }
  }
}
