import type { AgentTask } from "../agent-task.ts"

const old = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`

export const configMigration: AgentTask = {
  name: "config-migration",
  prompt:
    "Migrate every file in config/ from version 1 to version 2. MIGRATION.md says how. Keep what it does not mention.",
  files: {
    "MIGRATION.md": `# Version 2

- \`version\` is 2.
- \`host\` and \`port\` become one text, \`address\`: \`host:port\`. Without a port, it is 8080.
- \`timeout\`, in seconds, becomes \`timeoutMs\`, in milliseconds.
- \`debug: true\` becomes \`logLevel: "debug"\`; \`debug: false\`, or none, becomes \`logLevel: "info"\`.
- \`plugins\`, a text separated by commas, becomes a list without spaces and empty entries; without it, there is none.
`,
    "config/a.json": old({ version: 1, host: "a.example", port: 9000, timeout: 1.5, debug: true, plugins: "x, y,," }),
    "config/b.json": old({ version: 1, host: "b.example", timeout: 30, owner: "mia" }),
    "config/c.json": old({ version: 1, host: "::1", port: 1, debug: false, plugins: "" }),
    "config/nested/d.json": old({ version: 1, host: "d.example", port: 80, timeout: 0 }),
  },
  verify: `node -e '
const assert = require("node:assert")
const read = (name) => JSON.parse(require("node:fs").readFileSync("config/" + name, "utf8"))
assert.deepStrictEqual(read("a.json"), { version: 2, address: "a.example:9000", timeoutMs: 1500, logLevel: "debug", plugins: ["x", "y"] })
assert.deepStrictEqual(read("b.json"), { version: 2, address: "b.example:8080", timeoutMs: 30000, logLevel: "info", owner: "mia" })
assert.deepStrictEqual(read("c.json"), { version: 2, address: "::1:1", logLevel: "info", plugins: [] })
assert.deepStrictEqual(read("nested/d.json"), { version: 2, address: "d.example:80", timeoutMs: 0, logLevel: "info" })'`,
  reference: `node -e '
const fs = require("node:fs")
for (const name of ["a.json", "b.json", "c.json", "nested/d.json"]) {
  const { version, host, port = 8080, timeout, debug, plugins, ...rest } = JSON.parse(fs.readFileSync("config/" + name, "utf8"))
  const next = { version: 2, address: host + ":" + port, logLevel: debug === true ? "debug" : "info", ...rest }
  if (timeout !== undefined) next.timeoutMs = timeout * 1000
  if (plugins !== undefined) next.plugins = plugins.split(",").map((each) => each.trim()).filter((each) => each !== "")
  fs.writeFileSync("config/" + name, JSON.stringify(next, null, 2))
}'`,
}
