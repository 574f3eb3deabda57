import { jsonText, readJsonObject } from "../shown/json-text.ts"
import { useState } from "preact/hooks"
import { errorMessage } from "../../domain/text/error-message.ts"
import { server } from "../api/server.ts"
import { profileLink } from "../state/address.ts"
import { noteProfileChange } from "../state/profiles.ts"
import { go } from "../state/route.ts"
import { Failure, ProfileField } from "./profile-fields.tsx"

const template = { description: "When to use this agent", prompt: "You …", tools: ["Read", "Grep", "LS"] }

/** A form that creates a profile in the store. */
export const CreateProfile = ({ onClose }: { readonly onClose: () => void }) => {
  const [name, setName] = useState("")
  const [text, setText] = useState(() => jsonText(template))
  const [failure, setFailure] = useState<string>()
  const [isBusy, setBusy] = useState(false)
  const profile = readJsonObject(text)
  const create = async (): Promise<void> => {
    if (profile === undefined) return
    setBusy(true)
    try {
      await server.createProfile(name, profile)
      noteProfileChange(`Created ${name}.`)
      go(profileLink(name))
    } catch (error) {
      setFailure(errorMessage(error))
      setBusy(false)
    }
  }
  return (
    <form
      aria-label="New profile"
      onSubmit={(event) => {
        event.preventDefault()
        void create()
      }}
    >
      <div class="field">
        <label for="profile-name">Name</label>
        <input
          id="profile-name"
          value={name}
          required
          pattern="[A-Za-z0-9][A-Za-z0-9_\-]*"
          aria-describedby="profile-name-note"
          onInput={(event) => setName(event.currentTarget.value.trim())}
        />
        <span class="quiet" id="profile-name-note">
          Letters, digits, - and _
        </span>
      </div>
      <ProfileField text={text} onInput={setText} />
      <Failure text={failure} />
      <div class="bar wide">
        <button class="main" type="submit" disabled={isBusy || profile === undefined}>
          Create the profile
        </button>
        <button type="button" onClick={onClose}>
          Close
        </button>
      </div>
    </form>
  )
}
