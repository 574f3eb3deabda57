import { type KnownModel, knownModel } from "./price-table.ts"
import { isLoopback } from "../../domain/web/loopback-host.ts"

/** The vendors that gateways name before an id. */
const vendors: Readonly<Record<string, KnownModel["provider"]>> = {
  anthropic: "anthropic",
  openai: "openai",
  azure: "openai",
  azure_ai: "openai",
}

/** The clouds that serve models of several vendors, and gateways that name vendors behind their own name. */
const clouds: ReadonlySet<string> = new Set(["openrouter", "litellm_proxy", "bedrock", "converse", "vertex_ai"])

/** Splits the id of a gateway, such as `bedrock/us.anthropic.claude-opus-4-5-20251101-v1:0`, into vendor and model. */
const readId = (id: string): { readonly vendor?: KnownModel["provider"]; readonly model: string } | undefined => {
  const path = id.split("/")
  const last = path.pop() ?? ""
  const bedrock = /^(?:[a-z]+\.)?anthropic\.(claude-.+?)(?:-v\d+(?::\d+)?)?$/.exec(last)
  const named = path.filter((part) => !clouds.has(part))
  if (named.length > 1) return undefined
  const [name] = named
  const vendor = bedrock === null ? (name === undefined ? undefined : vendors[name]) : "anthropic"
  if (name !== undefined && vendor === undefined) return undefined
  return { ...(vendor === undefined ? {} : { vendor }), model: bedrock?.[1] ?? last }
}

/**
 * Returns what is published about a model that a gateway serves; undefined if its id could also mean another one. Local servers give their models names such
 * as `gpt-4`, so that such an id counts elsewhere only, or with its vendor.
 */
export const gatewayModel = (id: string, baseUrl?: string): KnownModel | undefined => {
  const read = readId(id)
  const known = read === undefined ? undefined : knownModel(read.model)
  if (read === undefined || known === undefined) return undefined
  if (read.vendor !== undefined) return read.vendor === known.provider ? known : undefined
  const isLocal = baseUrl !== undefined && isLoopback(new URL(baseUrl).hostname)
  return known.provider === "openai" && isLocal ? undefined : known
}
