import { AdjutantError } from "../../contracts/adjutant-error.ts"

/** A webhook as it arrived: the signature covers the bytes. */
export interface InboundRequest {
  readonly body: Buffer
  header(name: string): string | undefined
}

export const forged = (): AdjutantError =>
  new AdjutantError("unauthorized", "the signature is missing, wrong or too old: check the webhook's secret and clock")

/** @throws AdjutantError `invalid_json` */
export const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    throw new AdjutantError("invalid_json", "the webhook's body is no JSON")
  }
}

export const dayMs = 86_400_000
/** How far a sender's clock may be off, and how long a captured request could be sent again. */
export const toleranceMs = 300_000
