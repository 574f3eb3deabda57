import { randomBytes } from "node:crypto"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import pg from "pg"
import { beforeEach, inject, onTestFinished } from "vitest"
import { openStore } from "../../../store/open-store.ts"
import type { StoreOptions } from "../../../store/open-store.ts"
import type { Store } from "../../../store/store.ts"
import { describeWith, type Need } from "../needs.ts"

/** A kind of database below the store. */
type Backend = "sqlite" | "postgres"

/** Tests that are about no database in particular use SQLite; `stories.deep.test.ts` runs them with PostgreSQL, too. */
const usual: Backend = process.env["ADJUTANT_TEST_STORE"] === "postgres" ? "postgres" : "sqlite"

let backend: Backend = usual

/** A place for one store: stores opened at the same place share their data. */
export interface StoreLocation {
  readonly url: string
  readonly dataDir: string
}

export const postgres = (): Need => ({ name: "PostgreSQL", isAvailable: inject("postgresBroker") !== null })

/**
 * Runs the tests once for each kind of database; the PostgreSQL tests are skipped where no server can be
 * started.
 */
export const testEachDatabase = (tests: () => void): void => {
  for (const each of ["sqlite", "postgres"] as const)
    describeWith(each === "postgres" ? [postgres()] : [], each, () => {
      beforeEach(() => {
        backend = each
        return () => {
          backend = usual
        }
      })
      tests()
    })
}

export const createTemporaryFolder = async (): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), "adjutant-store-"))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

/** Returns an empty folder that is removed with the test. */
export const createStoreLocation = async (): Promise<StoreLocation> => {
  switch (backend) {
    case "sqlite":
      return { url: "sqlite:", dataDir: await createTemporaryFolder() }
    case "postgres":
      return { url: await createSchema(), dataDir: "/nowhere" }
  }
}

/** Returns an empty place for the store of a data directory, which is removed with the test where it is not in there. */
export const createStoreIn = async (dataDir: string): Promise<StoreLocation> => ({
  url: backend === "sqlite" ? "sqlite:" : await createSchema(),
  dataDir,
})

/** Opens a store that is closed with the test, at a new place unless one is given. */
export const openTestStore = async (options: Partial<StoreOptions> = {}): Promise<Store> => {
  const place =
    options.dataDir === undefined && options.url === undefined ? await createStoreLocation() : { url: "sqlite:" }
  const store = await openStore({ dataDir: "/nowhere", ...place, ...options })
  onTestFinished(() => store.close())
  return store
}

/** Returns the address of the server's maintenance database. */
export const getPostgresServer = async (): Promise<string> => {
  const broker = inject("postgresBroker")
  if (broker === null) throw new Error("there is no PostgreSQL to test with")
  const answer = await fetch(broker)
  if (!answer.ok) throw new Error(await answer.text())
  return answer.text()
}

export const execute = async (connectionString: string, ...statements: readonly string[]): Promise<void> => {
  const client = new pg.Client({ connectionString })
  await client.connect()
  try {
    for (const statement of statements) await client.query(statement)
  } finally {
    await client.end()
  }
}

/** Returns the address of a new schema that is dropped with the test. */
export const createSchema = async (): Promise<string> => {
  const server = await getPostgresServer()
  const name = `test_${randomBytes(6).toString("hex")}`
  await execute(server, `create schema ${name}`)
  onTestFinished(() => execute(server, `drop schema ${name} cascade`))
  return `${server}?options=${encodeURIComponent(`-c search_path=${name}`)}`
}
