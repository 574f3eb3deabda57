import { expect, it } from "vitest"
import { configSchema } from "../../../../contracts/config/config.ts"
import { tellInSlack } from "../../../../http/inbound/tell-in-slack.ts"
import { startSlack } from "../../../helpers/http/message-services.ts"

const configOf = (apiUrl: string) =>
  configSchema.parse({ notify: { team: { type: "slack", tokenEnv: "T", channel: "C1", apiUrl } } })

it("says to one person why nothing was decided, and writes to no address that is not of Slack", async () => {
  const slack = await startSlack()
  const other = await startSlack()
  await tellInSlack(slack.replyUrl, "U666 is not an approver", configOf(slack.apiUrl))
  await tellInSlack(other.replyUrl, "U666 is not an approver", configOf(slack.apiUrl))
  await tellInSlack("file:///etc/passwd", "U666 is not an approver", configOf(slack.apiUrl))
  expect(slack.told).toEqual(["No decision was made: U666 is not an approver."])
  expect(slack.requests[0]?.body).toMatchObject({ response_type: "ephemeral", replace_original: false })
  expect(other.requests).toEqual([])
})
