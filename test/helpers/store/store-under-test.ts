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

let backend: Backend = "sqlite"

/** A place for a store of its own: stores opened at the same place are the same one. */
export interface StorePlace {
  readonly url: string
  readonly dataDir: string
}

export const postgres = (): Need => ({ name: "PostgreSQL", isHere: inject("postgresBroker") !== null })

/** Runs the tests once for each kind of database; those of PostgreSQL are skipped where no server can be started. */
export const onEachDatabase = (tests: () => void): void => {
  for (const each of ["sqlite", "postgres"] as const)
    describeWith(each === "postgres" ? [postgres()] : [], each, () => {
      beforeEach(() => {
        backend = each
      })
      tests()
    })
}

export const temporaryFolder = async (): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), "adjutant-store-"))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

/** Empty, and gone with the test. */
export const newPlace = async (): Promise<StorePlace> => {
  switch (backend) {
    case "sqlite":
      return { url: "sqlite:", dataDir: await temporaryFolder() }
    case "postgres":
      return { url: await newSchema(), dataDir: "/nowhere" }
  }
}

/** A store at a place of its own unless one is named, closed with the test. */
export const openTestStore = async (options: Partial<StoreOptions> = {}): Promise<Store> => {
  const place = options.dataDir === undefined && options.url === undefined ? await newPlace() : { url: "sqlite:" }
  const store = await openStore({ dataDir: "/nowhere", ...place, ...options })
  onTestFinished(() => store.close())
  return store
}

/** Address of the server's maintenance database. */
export const postgresServer = async (): Promise<string> => {
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

/** Address of a schema of its own, which is dropped with the test. */
export const newSchema = async (): Promise<string> => {
  const server = await postgresServer()
  const name = `test_${randomBytes(6).toString("hex")}`
  await execute(server, `create schema ${name}`)
  onTestFinished(() => execute(server, `drop schema ${name} cascade`))
  return `${server}?options=${encodeURIComponent(`-c search_path=${name}`)}`
}
