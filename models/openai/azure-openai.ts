import { AzureOpenAI, type APIError } from "openai"
import { requireApiKey } from "../api-key-env.ts"
import { ModelError } from "../model-error.ts"
import type { ModelRequest } from "../model-provider.ts"
import { clientOptions } from "../provider-fetch.ts"
import { createVendorClient } from "../vendor-environment.ts"
import { openAiVariables, wholeBody } from "./openai-client.ts"
import { createChatProvider } from "./openai-compatible.ts"

class Client extends AzureOpenAI {
  protected override makeStatusError(
    status: number,
    body: object,
    message: string | undefined,
    headers: Headers,
  ): APIError {
    return super.makeStatusError(status, wholeBody(body), message, headers)
  }
}

/** Variables that this client reads besides those of OpenAI. */
const variables = [...openAiVariables, "AZURE_OPENAI_API_KEY", "AZURE_OPENAI_ENDPOINT"]

const createClient = (request: ModelRequest): AzureOpenAI => {
  const { spec, headers } = request
  const { baseUrl: endpoint, azure } = spec
  if (endpoint === undefined || azure === undefined)
    throw new ModelError(
      "bad_request",
      `model ${spec.model} has no address: set its baseUrl under "models", or AZURE_OPENAI_ENDPOINT`,
    )
  const key = requireApiKey(request)
  const { deployment, apiVersion, auth } = azure
  return createVendorClient(
    { address: endpoint, domain: "openai.com", variables },
    () =>
      new Client({
        endpoint,
        deployment,
        apiVersion,
        ...(auth === "key" ? { apiKey: key } : { azureADTokenProvider: async () => key }),
        adminAPIKey: null,
        defaultHeaders: { ...headers },
        ...clientOptions,
      }),
  )
}

/** The provider for Chat Completions of a deployment in Azure, by the vendor's own client: with a key of the resource, or with a token of Entra ID. */
export const azureOpenAiProvider = createChatProvider({ createClient, maxTokensField: "max_completion_tokens" })
