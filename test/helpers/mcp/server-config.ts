import { fileURLToPath } from "node:url"

const program = fileURLToPath(new URL("stdio-server.ts", import.meta.url))

/** The test server in a configuration, as a program of its own. */
export const testServer = (env: Readonly<Record<string, string>> = {}) => ({
  command: process.execPath,
  args: [program],
  // Code that was compiled once shortens its start.
  env: { NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"] ?? "", ...env },
})
