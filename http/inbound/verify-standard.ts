import { Webhook } from "standardwebhooks"
import { withWebhookSecret } from "../../domain/delivery/webhook-secret.ts"
import { forged, type InboundRequest } from "./inbound-request.ts"

const signedHeaders = ["webhook-id", "webhook-timestamp", "webhook-signature"]

/** Checks the signature of a Standard Webhook, which covers its id, its time and its body. @throws AdjutantError `unauthorized` */
export const verifyStandard = ({ body, header }: InboundRequest, secret: string): void => {
  const headers = Object.fromEntries(signedHeaders.map((name) => [name, header(name) ?? ""]))
  try {
    withWebhookSecret(secret, (...args) => new Webhook(...args)).verify(body, headers, { jsonParse: false })
  } catch {
    throw forged()
  }
}
