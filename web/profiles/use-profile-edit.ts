import { jsonText, readJsonObject } from "../shown/json-text.ts"
import { useState } from "preact/hooks"
import type { Agent } from "../../contracts/http/agents.ts"
import { Refused } from "../api/request.ts"
import { errorMessage } from "../../domain/text/error-message.ts"
import { server } from "../api/server.ts"
import { profilesLink } from "../state/address.ts"
import { noteProfileChange } from "../state/profiles.ts"
import { go } from "../state/route.ts"
import type { Conflict } from "./profile-conflict.tsx"

const isRefusal = (error: unknown, code: string): boolean => error instanceof Refused && error.code === code

/** Reads what is there now, after a change was refused. */
const readConflict = async (name: string): Promise<Conflict> => {
  try {
    return { kind: "changed", current: await server.profile(name) }
  } catch (error) {
    if (isRefusal(error, "profile_not_found")) return { kind: "deleted" }
    throw error
  }
}

/** The state of an edit of one profile, and what can be done with it. Each change names the version that the person has read. */
export const useProfileEdit = (agent: Agent) => {
  const { id: name } = agent
  const [text, setText] = useState(() => jsonText(agent.profile))
  const version = agent.version ?? 0
  const [conflict, setConflict] = useState<Conflict>()
  const [failure, setFailure] = useState<string>()
  const [isBusy, setBusy] = useState(false)

  const change = async (send: () => Promise<unknown>, news: string): Promise<boolean> => {
    setBusy(true)
    setFailure(undefined)
    try {
      await send()
      noteProfileChange(news)
      setConflict(undefined)
      return true
    } catch (error) {
      await refuse(error)
      return false
    } finally {
      setBusy(false)
    }
  }
  const refuse = async (error: unknown): Promise<void> => {
    try {
      if (!isRefusal(error, "profile_changed") && !isRefusal(error, "profile_not_found")) throw error
      setConflict(await readConflict(name))
    } catch (other) {
      setFailure(errorMessage(other))
    }
  }

  return {
    ...{ text, setText, conflict, failure, isBusy },
    /** `base`: the version that is replaced. */
    save: async (base = version): Promise<void> => {
      const profile = readJsonObject(text)
      if (profile === undefined) return
      await change(() => server.updateProfile(name, profile, base), `Saved ${name}.`)
    },
    recreate: async (): Promise<void> => {
      const profile = readJsonObject(text)
      if (profile !== undefined) await change(() => server.createProfile(name, profile), `Created ${name}.`)
    },
    remove: async (): Promise<void> => {
      if (await change(() => server.deleteProfile(name, version), `Deleted ${name}.`)) go(profilesLink)
    },
    /** Gives up the text for what is in the store now. */
    take: (): void => noteProfileChange(`Read ${name} again.`),
  }
}
