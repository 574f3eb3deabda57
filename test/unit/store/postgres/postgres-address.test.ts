import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { expect, test } from "vitest"
import { parsePostgresUrl } from "../../../../store/postgres/postgres-address.ts"
import { createTemporaryFolder } from "../store-fixture.ts"

const parse = (url: string, env: NodeJS.ProcessEnv = { PGUSER: "ann" }) => parsePostgresUrl(url, env)

test("a URL names server, database and user, and its place contains no secret", () => {
  expect(parse("postgres://bob:p%40ss@db.example:6000/adj%20utant?application_name=w1&connect_timeout=2")).toEqual({
    host: "db.example",
    port: 6000,
    database: "adj utant",
    user: "bob",
    password: "p@ss",
    tls: false,
    applicationName: "w1",
    connectTimeoutMs: 2000,
    place: "postgres://db.example:6000/adj utant",
  })
})

test("missing parts of the URL come from the environment", () => {
  expect(parse("postgresql://db/", { PGUSER: "ann", PGPASSWORD: "secret" })).toMatchObject({
    host: "db",
    port: 5432,
    database: "ann",
    user: "ann",
    password: "secret",
  })
})

test("a Unix socket and an IPv6 address are accepted", () => {
  expect(parse("postgres:///adjutant?host=/var/run/postgresql")).toMatchObject({ host: "/var/run/postgresql" })
  expect(parse("postgres://[::1]:5433/x")).toMatchObject({ host: "::1", place: "postgres://[::1]:5433/x" })
})

test.each([
  ["require", { rejectUnauthorized: false }],
  ["verify-ca", { rejectUnauthorized: true, checkServerIdentity: expect.any(Function) }],
  ["verify-full", { rejectUnauthorized: true }],
])("sslmode=%s encrypts as in libpq", (mode, tls) => {
  expect(parse(`postgres://db/x?sslmode=${mode}`).tls).toEqual(tls)
})

test("a root certificate is read, and is the only one trusted", async () => {
  const path = join(await createTemporaryFolder(), "root.pem")
  await writeFile(path, "certificate")
  expect(parse(`postgres://db/x?sslrootcert=${path}`).tls).toEqual({ ca: "certificate", rejectUnauthorized: true })
  expect(parse(`postgres://db/x?sslmode=require&sslrootcert=${path}`).tls).toMatchObject({ rejectUnauthorized: true })
})

test.each([
  ["postgres://ann:hunter2@db/x?sslmode=prefer", "sslmode must be one of"],
  ["postgres://ann:hunter2@db/x?sslrootcert=/nowhere.pem", "/nowhere.pem"],
  ["postgres://ann:hunter2@db/x?pool=5", "the parameter pool is not supported"],
  ["postgres://ann:hunter2@db/x?password=hunter2", "PGPASSWORD"],
  ["postgres://ann:hunter2@db/x?connect_timeout=soon", "connect_timeout"],
  ["postgres://ann:hunter2@db:0/x", "port"],
  ["postgres://ann:hunter2%@db/x", "%25"],
  ["postgres://ann:hunter2@db:99999/x", "is not a PostgreSQL address"],
])("the invalid URL %# is rejected without repeating the password", (url, reason) => {
  const parsing = () => parse(url)
  expect(parsing).toThrow(reason)
  expect(parsing).not.toThrow("hunter2")
  expect(parsing).toThrow(expect.objectContaining({ code: "invalid_config" }))
})
