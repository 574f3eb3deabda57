/**
 * Calls `create`, which makes a signer or a verifier of Standard Webhooks, with a signing secret. Secrets are Base64, with `whsec_` before it or
 * not; any other secret is used as it is.
 */
export const withWebhookSecret = <T>(
  secret: string,
  create: (secret: string, options?: { readonly format: "raw" }) => T,
): T => {
  try {
    return create(secret)
  } catch {
    return create(secret, { format: "raw" })
  }
}
