import type { Fault } from "../../scripts/sabotage/fault.ts"

export const delivery: readonly Fault[] = [
  {
    name: "a signed press makes the server write to any address",
    file: "http/inbound/tell-in-slack.ts",
    find: "return origin === slackOrigin || own",
    replace: "return origin !== slackOrigin || own",
  },
  {
    name: "a message in Slack is posted a second time after a lost answer",
    file: "sessions/notify/send/send-slack.ts",
    find: `payload["key"] === key`,
    replace: `payload["key"] === channel`,
  },
  {
    name: "a comment at GitHub is written a second time after a lost answer",
    file: "sessions/notify/send/send-github.ts",
    find: "body?.includes(githubMarker(key)) === true",
    replace: "body?.includes(githubMarker(`${key} `)) === true",
  },
  {
    name: "the next try does not know that the last one may have arrived",
    file: "activities/delivery/post-notice.ts",
    find: "wasInDoubt || mayHaveArrived(error)",
    replace: "wasInDoubt && mayHaveArrived(error)",
  },
  {
    name: "readers who have a mail get it again with those who were deferred",
    file: "domain/notify/services/email.ts",
    find: "!reached.includes(address)",
    replace: `!reached.includes("")`,
  },
  {
    name: "what became of a message that cannot be replaced is not said",
    file: "sessions/notify/send/send-notice.ts",
    find: `if (answer.kind !== "irreplaceable") return answer`,
    replace: `if (answer.kind !== "irreplaceable" || notice.sending.key !== "") return { kind: "delivered" }`,
  },
  {
    name: "a message that several people read contains what decides",
    file: "sessions/delivery/build-notice.ts",
    find: "person === undefined ? undefined : (await signLink(store, { checkpointId, person })).token",
    replace: `(await signLink(store, { checkpointId, person: person ?? "ana" })).token`,
  },
  {
    name: "a message to people contains a secret",
    file: "activities/delivery/post-notice.ts",
    find: "return redactTexts(texts, redact)",
    replace: "return redact === undefined ? redactTexts(texts, redact) : texts",
  },
  {
    name: "any Telegram user decides",
    file: "sessions/notify/replies/read-telegram.ts",
    find: "personOf(loaded.config.people, identity) === undefined",
    replace: `userId === ""`,
  },
  {
    name: "a dismissed delivery is sent",
    file: "activities/delivery/deliver.ts",
    find: `row.status !== "pending"`,
    replace: `row.status === "delivered"`,
  },
  {
    name: "a message waits for those of other threads",
    file: "store/tables/delivery/deliveries.ts",
    find: `.where("thread", "=", threadOf(row))`,
    replace: `.where("thread", "is not", null)`,
  },
  {
    name: "one request to retry skips every later wait",
    file: "workflows/delivery/delivery.ts",
    find: "  for (let attempt = 1; ;) {\n    hurry = false\n",
    replace: "  for (let attempt = 1; ;) {\n",
  },
  {
    name: "a delivery is tried one time too often",
    file: "workflows/delivery/delivery.ts",
    find: "attempt >= policy.attempts",
    replace: "attempt > policy.attempts",
  },
  {
    name: "the wait that a receiver asks for is cut to the longest usual one",
    file: "domain/delivery/delivery-policy.ts",
    find: "Math.min(Math.max(retryAfterMs, policy.initialMs), longestWaitMs)",
    replace: "Math.min(Math.max(retryAfterMs, policy.initialMs), policy.maxMs)",
  },
  {
    name: "a receiver that limits its rate counts as one that refuses",
    file: "domain/delivery/delivery-policy.ts",
    find: " || status === 429",
    replace: "",
  },
  {
    name: "a webhook follows redirects",
    file: "activities/delivery/post-delivery.ts",
    find: `redirect: "manual"`,
    replace: `redirect: "follow"`,
  },
  {
    name: "the second pause of a run is not announced",
    file: "sessions/delivery/announcer.ts",
    find: "[storeId, row.id, runId, event, occurrence, ...receiver]",
    replace: "[storeId, row.id, runId, event, ...receiver]",
    triedFirst: "test/workflow/delivery.test.ts",
  },
  {
    name: "people are not told of the second pause of a run",
    file: "sessions/delivery/to-people.ts",
    find: "[row.id, runId, event, occurrence, name]",
    replace: "[row.id, runId, event, name]",
    triedFirst: "test/workflow/delivery.test.ts",
  },
  {
    name: "the webhooks of a session report its sub-agents, too",
    file: "sessions/delivery/announcer.ts",
    find: "const webhooks = isTop\n",
    replace: "const webhooks = isTop || isTop === false\n",
  },
  {
    name: "a message that was delivered does not wake the next one",
    file: "activities/delivery/deliver.ts",
    find: `["pending", "dismissed"])
      await wakeNextInThread(deps, row)`,
    replace: `["pending", "dismissed"])`,
  },
]
