import { AdjutantError } from "../../contracts/adjutant-error.ts"
import type { ModelProvider } from "../model-provider.ts"
import { findReply } from "./find-turn.ts"
import { loadCassette } from "./load-cassette.ts"

/** The provider that repeats recorded answers offline. docs/test-agents.md describes the file. */
export const cassetteProvider: ModelProvider = {
  async respond(request) {
    const { provider, model, cassette: settings } = request.spec
    if (settings === undefined)
      throw new AdjutantError(
        "invalid_config",
        "a model of the provider cassette requires file, the path of its recording",
      )
    const { parts, usage, stop } = findReply(await loadCassette(settings.file), request, settings)
    request.signal.throwIfAborted()
    for (const part of parts)
      if (part.type === "text" || part.type === "reasoning") request.onDelta({ type: part.type, text: part.text })
    return { role: "assistant", provider, model, parts, usage, stop }
  },
}
