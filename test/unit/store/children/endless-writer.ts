import { openStore } from "../../../../store/open-store.ts"
import { event, messageRow } from "./rows.ts"

/** Writes pairs of rows until it is killed; prints a pair's number when the store has confirmed it. */
const [url = "", dataDir = ""] = process.argv.slice(2)
const store = await openStore({ url, dataDir })
for (let pair = 1; ; pair += 1) {
  const text = `${pair}:`.padEnd(3000, "x")
  await store.messages.putAll("s1", [messageRow(2 * pair - 1, text, 1), messageRow(2 * pair, text, 1)])
  await store.events.append("s1", [event("r1", { pair }, pair), event("r1", { pair })])
  process.stdout.write(`${pair}\n`)
}
