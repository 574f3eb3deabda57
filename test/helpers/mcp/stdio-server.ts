import { appendFileSync } from "node:fs"
import { serveStdio, StdioServerTransport } from "@modelcontextprotocol/server/stdio"
import { createTestServer } from "./test-server.ts"

/**
 * The test server as a program. `TEST_LOG` names its log, `TEST_CLOSED_LOG` a file that records when its
 * client disconnected, and `TEST_ERA=legacy` selects the older protocol. `TEST_OTHER_TOOLS` changes what it lists.
 */
const closedLog = process.env["TEST_CLOSED_LOG"]
if (closedLog !== undefined) process.stdin.once("end", () => appendFileSync(closedLog, "closed\n"))
const log = process.env["TEST_LOG"]
const createServer = () => createTestServer(log, process.env["TEST_OTHER_TOOLS"] !== undefined)
if (process.env["TEST_FAIL"] !== undefined) {
  console.error("I refuse to start")
  process.exit(1)
}
if (process.env["TEST_ERA"] === "legacy") await createServer().connect(new StdioServerTransport())
else serveStdio(createServer)
