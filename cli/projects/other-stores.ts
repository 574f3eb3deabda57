import { listDataDirs, type ProjectDataDir } from "../../config/data-dir/list-data-dirs.ts"
import type { Environment } from "../../domain/environment.ts"
import { openStoreAsIs } from "../../store/open-store.ts"
import type { Store } from "../../store/store.ts"

/** A store of one of this user's projects, while it is read. */
export interface ProjectStore extends ProjectDataDir {
  readonly store: Store
}

/** Yields the stores of this user's projects, one after another, each open only until the next one. One of another version, or that cannot be read, is left out. */
export async function* projectStores(env: Environment): AsyncGenerator<ProjectStore, void, undefined> {
  for (const place of await listDataDirs(env)) {
    const store = await openStoreAsIs({ url: "sqlite:", dataDir: place.dataDir }).catch(() => undefined)
    if (store === undefined) continue
    try {
      yield { ...place, store }
    } finally {
      await store.close()
    }
  }
}
