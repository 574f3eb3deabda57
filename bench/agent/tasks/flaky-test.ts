import type { AgentTask } from "../agent-task.ts"

export const flakyTest: AgentTask = {
  name: "flaky-test",
  prompt:
    "The test in queue.test.js fails now and then (`node --test`). Find the cause in queue.js and fix it there, so that it always passes. Do not change the test.",
  files: {
    "queue.js": `/** Runs tasks one after another, in the order in which they were added. */
exports.createQueue = () => {
  let running = false
  const waiting = []
  const next = async () => {
    if (running || waiting.length === 0) return
    const { task, resolve } = waiting.shift()
    await undefined
    running = true
    resolve(await task())
    running = false
    next()
  }
  return { add: (task) => new Promise((resolve) => { waiting.push({ task, resolve }); next() }) }
}
`,
    "queue.test.js": `const test = require("node:test")
const assert = require("node:assert")
const { createQueue } = require("./queue.js")
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms))
test("runs tasks in order", async () => {
  const queue = createQueue()
  const done = []
  await Promise.all([1, 2, 3].map((id) => queue.add(async () => { await sleep(Math.random() * 5); done.push(id) })))
  assert.deepEqual(done, [1, 2, 3])
})
`,
  },
  hidden: {
    "hidden.test.js": `const test = require("node:test")
const assert = require("node:assert")
const { createQueue } = require("./queue.js")
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms))
test("never runs two tasks at once, and continues after a failure", async () => {
  const queue = createQueue()
  let active = 0
  const results = await Promise.allSettled([4, 3, 2, 1].map((id) => queue.add(async () => {
    active += 1
    assert.equal(active, 1)
    await sleep(id * 3)
    active -= 1
    return id
  })))
  assert.deepEqual(results.map(({ value }) => value), [4, 3, 2, 1])
})
`,
  },
  verify:
    "git diff --quiet HEAD -- queue.test.js && for run in 1 2 3 4 5; do node --test > /dev/null 2>&1 || exit 1; done",
  reference: `sed -i '/await undefined/d; s/^    running = true$//' queue.js
sed -i 's/^    const { task, resolve } = waiting.shift()$/    running = true\\n    const { task, resolve } = waiting.shift()/' queue.js`,
}
