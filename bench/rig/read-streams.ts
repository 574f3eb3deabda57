// A separate process: opens `count` streams of `url`, reads `events` events from each, and prints the lag of the last reader per event.
import { request } from "node:http"

const [url = "", count = "", events = ""] = process.argv.slice(2)
const readers = Number(count)
const wanted = Number(events)

/** Returns milliseconds since the epoch, more precise than `Date.now`, and the same in every process of the machine. */
const nowMs = (): number => performance.timeOrigin + performance.now()

const lastLag = new Map<number, number>()
const seen = new Map<number, number>()

const take = (line: string): boolean => {
  const event: { readonly seq?: number; readonly sent_at?: number } = JSON.parse(line)
  if (event.seq === undefined || event.sent_at === undefined) return false
  lastLag.set(event.seq, Math.max(lastLag.get(event.seq) ?? 0, nowMs() - event.sent_at))
  const readBy = (seen.get(event.seq) ?? 0) + 1
  seen.set(event.seq, readBy)
  return readBy === readers && lastLag.size === wanted
}

const done = Promise.withResolvers<void>()
const open = (): Promise<void> =>
  new Promise((resolve, reject) => {
    const asked = request(url, { agent: false }, (response) => {
      let rest = ""
      response.setEncoding("utf8")
      response.on("data", (chunk: string) => {
        const lines = (rest + chunk).split("\n")
        rest = lines.pop() ?? ""
        for (const line of lines) if (line.startsWith("data: ") && take(line.slice(6))) done.resolve()
      })
      resolve()
    })
    asked.on("error", reject)
    asked.end()
  })

for (let opened = 0; opened < readers; opened += 50)
  await Promise.all(Array.from({ length: Math.min(50, readers - opened) }, open))
process.stdout.write("open\n")
await done.promise
process.stdout.write(`${JSON.stringify([...lastLag.values()])}\n`)
process.exit(0)
