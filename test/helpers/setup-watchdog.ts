import { Worker } from "node:worker_threads"

/**
 * Ends a test process whose event loop has been blocked for too long. Workflow code that never yields runs in
 * the test's thread and would otherwise keep the run from ending.
 */
const patienceMs = 90_000

const watch = `
const { workerData: { beats, patienceMs, pid } } = require("node:worker_threads")
let seen = -1
setInterval(() => {
  const now = Atomics.load(beats, 0)
  if (now === seen) {
    require("node:fs").writeSync(2, "the event loop has stood still for " + patienceMs / 1000 + " s: workflow code that never yields?\\n")
    process.kill(pid, "SIGKILL")
  }
  seen = now
}, patienceMs)
`

const watched = Symbol.for("adjutant.test.watchdog")

if (!(watched in globalThis)) {
  Object.defineProperty(globalThis, watched, { value: true })
  const beats = new Int32Array(new SharedArrayBuffer(4))
  setInterval(() => Atomics.add(beats, 0, 1), 1_000).unref()
  new Worker(watch, { eval: true, workerData: { beats, patienceMs, pid: process.pid } }).unref()
}
