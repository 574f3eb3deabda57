import { startTestServer } from "./temporal-server.ts"

declare module "vitest" {
  interface ProvidedContext {
    /** host:port of the server that all tests of the project share. */
    temporalAddress: string
  }
}

interface GlobalSetupContext {
  provide(key: "temporalAddress", value: string): void
}

/** One server for all the tests of a project; each test uses task queues and ids of its own. */
export default async ({ provide }: GlobalSetupContext): Promise<() => Promise<void>> => {
  const server = await startTestServer()
  provide("temporalAddress", server.address)
  return () => server.stop()
}
