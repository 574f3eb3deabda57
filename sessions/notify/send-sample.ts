import { AdjutantError } from "../../contracts/adjutant-error.ts"
import type { NotifyDestination } from "../../contracts/config/notify.ts"
import { secretEnvOf } from "../../domain/notify/destination.ts"
import type { StoredNotice } from "../../domain/notify/notice.ts"
import { examineDestination } from "./examine-destination.ts"
import { sendNotice } from "./send/send-notice.ts"

const sampleTimeoutMs = 15_000

const sampleOf = (name: string, destination: NotifyDestination): StoredNotice => ({
  name,
  destination,
  notice: {
    kind: "finished",
    title: "A sample of Adjutant",
    task: { id: "sample", agent: "general" },
    calls: [{ id: "call_1", summary: "Bash: npm test", text: "npm test", flags: ["not confined: this is a sample"] }],
    how: "There is nothing to decide.",
  },
})

/**
 * Sends a sample to a destination.
 * @throws AdjutantError `invalid_argument` if the service refuses it, `service_unavailable` if it cannot take it now
 */
export const sendSample = async (
  { name, destination }: { readonly name: string; readonly destination: NotifyDestination },
  env: Readonly<Record<string, string | undefined>>,
): Promise<void> => {
  const problem = await examineDestination(destination, env)
  if (problem !== undefined) throw new AdjutantError("invalid_config", `notify.${name}: ${problem}`)
  const secret = env[secretEnvOf(destination)]?.trim() ?? ""
  if (destination.type === "webhook")
    throw new AdjutantError(
      "invalid_argument",
      `notify.${name} is a webhook, which gets messages of runs only: start a run that asks`,
    )
  const sending = { key: `sample-${Date.now()}`, secret }
  const notice = { stored: sampleOf(name, destination), destination, sending }
  const answer = await sendNotice(notice, AbortSignal.timeout(sampleTimeoutMs))
  if (answer.kind === "delivered") return
  throw new AdjutantError(
    answer.kind === "again" ? "service_unavailable" : "invalid_config",
    `notify.${name}: ${answer.reason}`,
  )
}
