import { serveStdio, StdioServerTransport } from "@modelcontextprotocol/server/stdio"
import { createTestServer } from "./test-server.ts"

/** The test server as a program. `TEST_LOG` names its log, `TEST_ERA=legacy` makes it one of the older protocol. */
const log = process.env["TEST_LOG"]
if (process.env["TEST_FAIL"] !== undefined) {
  console.error("I refuse to start")
  process.exit(1)
}
if (process.env["TEST_ERA"] === "legacy") await createTestServer(log).connect(new StdioServerTransport())
else serveStdio(() => createTestServer(log))
