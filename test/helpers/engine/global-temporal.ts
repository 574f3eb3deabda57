import { timeSetUp } from "../../../scripts/times/set-up-times.ts"
import { startTestServer, type TestServer } from "./temporal-server.ts"

declare module "vitest" {
  interface ProvidedContext {
    /** host:port of the server that all tests of the run share. */
    temporalAddress: string
  }
}

interface GlobalSetupContext {
  provide(key: "temporalAddress", value: string): void
}

interface Shared {
  readonly server: Promise<TestServer>
  users: number
}

/** Each project loads this module itself, in the same process. */
const shared: { temporal?: Shared } = ((globalThis as Record<symbol, unknown>)[Symbol.for("adjutant.test.shared")] ??=
  {})

/** Starts one server for all tests of a run. Each test uses its own task queues and ids. */
export default async ({ provide }: GlobalSetupContext): Promise<() => Promise<void>> => {
  const temporal = (shared.temporal ??= { server: timeSetUp("Temporal server", startTestServer), users: 0 })
  temporal.users += 1
  const server = await temporal.server
  provide("temporalAddress", server.address)
  return async () => {
    temporal.users -= 1
    if (temporal.users === 0) await server.stop()
  }
}
