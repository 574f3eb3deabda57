import type { AgentTask } from "../agent-task.ts"

export const fixFailingTest: AgentTask = {
  name: "fix-failing-test",
  prompt: "The tests fail (`node --test`). Find out why and fix the code, not the tests.",
  files: {
    "median.js": `exports.median = (numbers) => {
  const sorted = numbers.sort()
  const middle = Math.floor(sorted.length / 2)
  return sorted[middle]
}
`,
    "median.test.js": `const test = require("node:test")
const assert = require("node:assert")
const { median } = require("./median.js")
test("of an odd number of values", () => assert.equal(median([10, 9, 1]), 9))
test("of an even number of values", () => assert.equal(median([1, 2, 3, 4]), 2.5))
`,
  },
  hidden: {
    "hidden.test.js": `const test = require("node:test")
const assert = require("node:assert")
const { median } = require("./median.js")
test("of numbers with different lengths", () => assert.equal(median([100, 20, 3]), 20))
test("leaves its input alone", () => {
  const numbers = [3, 1, 2]
  median(numbers)
  assert.deepEqual(numbers, [3, 1, 2])
})
`,
  },
  verify: "git diff --quiet HEAD -- median.test.js && node --test",
  reference: `cat > median.js <<'END'
exports.median = (numbers) => {
  const sorted = [...numbers].sort((left, right) => left - right)
  const middle = Math.floor(sorted.length / 2)
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
}
END`,
}
