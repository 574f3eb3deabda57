import type { AgentTask } from "../agent-task.ts"

export const mergeConflict: AgentTask = {
  name: "merge-conflict",
  prompt:
    "Merge the branch `limits` into `main`, which is checked out. Both sides changed `list.js`: keep what both do, and commit the merge. The tests of both sides must pass (`node --test`).",
  files: {
    "list.js": "exports.list = (items) => items.map((item) => item.name)\n",
    "list.test.js": `const test = require("node:test")
const assert = require("node:assert")
const { list } = require("./list.js")
test("lists names", () => assert.deepEqual(list([{ name: "a" }]), ["a"]))
`,
  },
  setUp: `git checkout -q -b limits
echo 'exports.list = (items, limit = 10) => items.slice(0, limit).map((item) => item.name)' > list.js
cat > limit.test.js <<'END'
const test = require("node:test")
const assert = require("node:assert")
const { list } = require("./list.js")
test("has a limit", () => assert.equal(list(Array.from({ length: 20 }, () => ({ name: "a" }))).length, 10))
END
git add -A; git commit -qm "list: limit the number of items"
git checkout -q main
echo 'exports.list = (items) => items.filter((item) => item.hidden !== true).map((item) => item.name.trim())' > list.js
cat > hidden-items.test.js <<'END'
const test = require("node:test")
const assert = require("node:assert")
const { list } = require("./list.js")
test("leaves out hidden items", () => assert.deepEqual(list([{ name: " a " }, { name: "b", hidden: true }]), ["a"]))
END
git add -A; git commit -qm "list: leave out hidden items"`,
  hidden: {
    "both.test.js": `const test = require("node:test")
const assert = require("node:assert")
const { list } = require("./list.js")
test("hidden items do not count", () =>
  assert.deepEqual(list([{ name: "h", hidden: true }, { name: "a" }, { name: "b" }], 2), ["a", "b"]))
`,
  },
  verify:
    "git merge-base --is-ancestor limits HEAD && [ ! -e .git/MERGE_HEAD ] && git diff --quiet HEAD -- list.js && node --test",
  reference: `git merge -q limits > /dev/null 2>&1
cat > list.js <<'END'
exports.list = (items, limit = 10) =>
  items
    .filter((item) => item.hidden !== true)
    .slice(0, limit)
    .map((item) => item.name.trim())
END
git add -A && git commit -qm "Merge branch 'limits'"`,
}
