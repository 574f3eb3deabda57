import OpenAI, { type APIError, type ClientOptions } from "openai"
import { clientOptions } from "../provider-fetch.ts"

/** The vendor's client, with errors that keep the whole body: the SDK drops every body that has no `error`. */
class Client extends OpenAI {
  protected override makeStatusError(
    status: number,
    body: object,
    message: string | undefined,
    headers: Headers,
  ): APIError {
    return super.makeStatusError(status, { error: body }, message, headers)
  }
}

export const createOpenAiClient = (options: ClientOptions): OpenAI =>
  new Client({ ...options, adminAPIKey: null, ...clientOptions })
