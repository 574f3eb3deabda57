import { z } from "zod"
import { envNameSchema, httpUrlSchema } from "../names.ts"

/** How an MCP server is asked for access by OAuth. Secrets are named by environment variable. */
export const mcpOauthSchema = z
  .strictObject({
    grant: z
      .enum(["login", "client_credentials"])
      .default("login")
      .describe(
        "`login`: a person logs in with `adjutant mcp-login`. `client_credentials`: the client has access of its own, without a person.",
      ),
    clientId: z
      .string()
      .min(1)
      .max(2_048)
      .optional()
      .describe("Id with which this client is registered. Without it, `adjutant mcp-login` registers the client."),
    clientSecretEnv: envNameSchema.optional().describe("Environment variable that contains the secret of the client."),
    privateKeyEnv: envNameSchema
      .optional()
      .describe("Environment variable that contains the private key of the client in PEM form, in place of a secret."),
    algorithm: z
      .enum(["ES256", "ES384", "ES512", "RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "EdDSA"])
      .default("ES256")
      .describe("Algorithm with which the private key signs."),
    issuer: httpUrlSchema
      .optional()
      .describe("Address of the authorization server that gets the secret or the signature: no other one does."),
    scope: z
      .string()
      .min(1)
      .max(4_096)
      .optional()
      .describe("Scopes to request, separated by spaces, if the server names none."),
    clientMetadataUrl: httpUrlSchema
      .optional()
      .describe(
        "Address of a document about this client, for authorization servers that accept such an address as its id.",
      ),
    callbackPort: z
      .number()
      .int()
      .min(1)
      .max(65_535)
      .default(7433)
      .describe("Port of this machine to which the browser returns at the end of a login."),
  })
  .superRefine((oauth, context) => {
    const refuse = (path: keyof typeof oauth, message: string) =>
      context.addIssue({ code: "custom", path: [path], message })
    const secrets = [oauth.clientSecretEnv, oauth.privateKeyEnv].filter((name) => name !== undefined)
    if (secrets.length > 0 && oauth.clientId === undefined)
      refuse("clientId", "is required with a secret or a private key")
    if (secrets.length > 0 && oauth.issuer === undefined) refuse("issuer", "is required with a secret or a private key")
    if (secrets.length > 1) refuse("privateKeyEnv", "cannot be combined with clientSecretEnv")
    if (oauth.grant === "login" && oauth.privateKeyEnv !== undefined)
      refuse("privateKeyEnv", "requires the grant client_credentials")
    if (oauth.grant === "client_credentials" && secrets.length === 0)
      refuse("grant", "requires clientSecretEnv or privateKeyEnv")
  })
  .describe("How access by OAuth is requested. A server that requires a login needs no such settings.")
export type McpOauth = z.infer<typeof mcpOauthSchema>
