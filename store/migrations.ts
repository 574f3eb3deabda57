import { baseline } from "./migrations/022-baseline.ts"
import { callHash } from "./migrations/023-call-hash.ts"
import type { Migration } from "./migrations/migration.ts"

/** In order of version. A store without a schema begins with the first one. */
export const migrations: readonly Migration[] = [baseline, callHash]
