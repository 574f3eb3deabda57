/**
 * Creates a signer or verifier of Standard Webhooks by calling `create` with a signing secret. Secrets are Base64, with or without the prefix
 * `whsec_`; any other secret is used as raw bytes.
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
