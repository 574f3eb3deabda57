import OpenAI, { type APIError } from "openai"
import type { ModelRequest } from "../model-provider.ts"
import { clientOptions } from "../provider-fetch.ts"
import { createVendorClient } from "../vendor-environment.ts"

/** Returns the body of an error for the vendor's client, so that its errors keep the whole of it: the SDK drops every body that has no `error`. */
export const wholeBody = (body: object): object => ({ error: body })

class Client extends OpenAI {
  protected override makeStatusError(
    status: number,
    body: object,
    message: string | undefined,
    headers: Headers,
  ): APIError {
    return super.makeStatusError(status, wholeBody(body), message, headers)
  }
}

/** Variables that the SDK turns into headers or an address. */
export const openAiVariables = ["OPENAI_CUSTOM_HEADERS", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID", "OPENAI_BASE_URL"]

/** Returns a client for a server. Another one than OpenAI's own gets nothing that the environment contains for OpenAI. `apiKey`: undefined to send none. */
export const createOpenAiClient = (
  { headers }: Pick<ModelRequest, "headers">,
  { apiKey, baseURL }: { readonly apiKey: string | undefined; readonly baseURL: string },
): OpenAI =>
  createVendorClient(
    { address: baseURL, domain: "openai.com", variables: openAiVariables },
    () =>
      new Client({
        // The SDK requires a key.
        apiKey: apiKey ?? "none",
        adminAPIKey: null,
        baseURL,
        defaultHeaders: { ...(apiKey === undefined ? { Authorization: null } : {}), ...headers },
        ...clientOptions,
      }),
  )
