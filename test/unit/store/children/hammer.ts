import { openStore } from "../../../../store/open-store.ts"
import { event, messageRow } from "./rows.ts"

/** Writes to the session `s1` of a store that other processes write to as well. */
const [url = "", dataDir = "", name = "", rounds = "0"] = process.argv.slice(2)
const store = await openStore({ url, dataDir })
for (let round = 1; round <= Number(rounds); round += 1) {
  await store.events.append("s1", [
    event(`run-${name}`, { name, round, part: 1 }),
    event(`run-${name}`, { name, round, part: 2 }),
  ])
  // All processes try to write the same outbox and the same row, and to claim the same call.
  await store.events.append("s1", [event("shared", { round }, round)])
  await store.messages.put("s1", messageRow(round, name, Number(name)))
  const { claimed } = await store.claims.claim({
    sessionId: "s1",
    seq: round,
    callHash: "h",
    callId: `call${round}`,
    tool: "Bash",
    fence: Number(name),
  })
  if (claimed) process.stdout.write(`${round}\n`)
}
await store.close()
