import { createServer } from "node:http"
import {
  findPostgresPrograms,
  type PrivatePostgres,
  startPrivatePostgres,
} from "../../../scripts/cluster/private-postgres.ts"

declare module "vitest" {
  interface ProvidedContext {
    /**
     * URL at which tests ask for the shared PostgreSQL server, which starts with the first request. Null if
     * none can be started.
     */
    postgresBroker: string | null
  }
}

interface GlobalSetupContext {
  provide(key: "postgresBroker", value: string | null): void
}

export default async ({ provide }: GlobalSetupContext): Promise<() => Promise<void>> => {
  const programs = await findPostgresPrograms()
  if (programs === undefined) {
    console.error("no PostgreSQL programs under /usr/lib/postgresql: tests of the PostgreSQL store are skipped")
    provide("postgresBroker", null)
    return async () => undefined
  }
  let started: Promise<PrivatePostgres> | undefined
  const broker = createServer((_, response) => {
    started ??= startPrivatePostgres(programs)
    started.then(
      (server) => response.end(server.url("postgres")),
      (error: unknown) => response.writeHead(500).end(String(error)),
    )
  })
  await new Promise<void>((resolve) => broker.listen(0, "127.0.0.1", resolve))
  const address = broker.address()
  if (typeof address !== "object" || address === null) throw new Error("the broker has no port")
  provide("postgresBroker", `http://127.0.0.1:${address.port}`)
  return async () => {
    broker.closeAllConnections()
    broker.close()
    await (await started)?.stop()
  }
}
