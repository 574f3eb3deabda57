import { initial } from "./001-initial.ts"
import type { Migration } from "./migration.ts"

/** In order of version, without holes. */
export const migrations: readonly Migration[] = [initial]
