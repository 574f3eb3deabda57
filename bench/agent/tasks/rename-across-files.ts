import type { AgentTask } from "../agent-task.ts"

export const renameAcrossFiles: AgentTask = {
  name: "rename-across-files",
  prompt:
    "Rename the function `getUser` to `findUser` everywhere in the code and in the documentation. The function `getUserName` and the text that the API prints keep their names. The tests must pass (`node --test`).",
  files: {
    "src/users.js": `const users = [{ id: 1, name: "Ana" }]
const getUser = (id) => users.find((user) => user.id === id)
const getUserName = (id) => getUser(id)?.name ?? "nobody"
module.exports = { getUser, getUserName }
`,
    "src/api.js": `const { getUser } = require("./users.js")
// The name of the operation is part of the API.
exports.handle = (id) => ({ operation: "getUser", user: getUser(id) ?? null })
`,
    "src/report.js": `const users = require("./users.js")
exports.report = (ids) => ids.map((id) => (users.getUser(id) ? users.getUserName(id) : "-")).join(",")
`,
    "README.md": "# Users\n\nCall `getUser(id)` to look up a user, and `getUserName(id)` for its name.\n",
    "users.test.js": `const test = require("node:test")
const assert = require("node:assert")
const { report } = require("./src/report.js")
test("reports", () => assert.equal(report([1, 2]), "Ana,-"))
`,
  },
  hidden: {
    "hidden.test.js": `const test = require("node:test")
const assert = require("node:assert")
const { handle } = require("./src/api.js")
const users = require("./src/users.js")
test("the new name", () => assert.equal(users.findUser(1).name, "Ana"))
test("the old name is gone", () => assert.equal(users.getUser, undefined))
test("another function keeps its name", () => assert.equal(users.getUserName(1), "Ana"))
test("the API keeps its text", () => assert.equal(handle(1).operation, "getUser"))
`,
  },
  verify: "node --test && grep -q 'findUser(id)' README.md && ! grep -q 'getUser(id)' README.md",
  reference: `sed -i 's/\\bgetUser\\b/findUser/g' src/users.js src/report.js README.md
sed -i 's/{ getUser }/{ findUser }/; s/getUser(id)/findUser(id)/' src/api.js`,
}
