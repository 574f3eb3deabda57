import { fileURLToPath } from "node:url"

const program = fileURLToPath(new URL("stdio-server.ts", import.meta.url))

/** Returns a configuration that runs the test server as a separate program. */
export const createTestServerConfig = (env: Readonly<Record<string, string>> = {}) => ({
  command: process.execPath,
  args: [program],
  // Compiled code makes it start faster.
  env: { NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"] ?? "", ...env },
})
