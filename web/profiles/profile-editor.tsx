import { jsonText, readJsonObject } from "../shown/json-text.ts"
import type { Agent } from "../../contracts/http/agents.ts"
import { server } from "../api/server.ts"
import { ConfirmButton } from "../parts/confirm-button.tsx"
import { useAnswer } from "../parts/use-answer.ts"
import { prose } from "../shown/prose.ts"
import { profileChanges } from "../state/profiles.ts"
import { Failure, ProfileField } from "./profile-fields.tsx"
import { ProfileConflict } from "./profile-conflict.tsx"
import { useProfileEdit } from "./use-profile-edit.ts"

const EditProfile = ({ agent }: { readonly agent: Agent }) => {
  const { id: name, version, updated_by: by, updated_at: at } = agent
  const edit = useProfileEdit(agent)
  const { text, setText, conflict, failure, isBusy } = edit
  return (
    <form
      aria-label={`Profile ${name}`}
      onSubmit={(event) => {
        event.preventDefault()
        void edit.save()
      }}
    >
      <p class="quiet wide">
        Version {version} by {prose(by ?? "unknown")}, {at}. Runs that have started keep the settings that they started
        with.
      </p>
      {conflict !== undefined && (
        <ProfileConflict
          name={name}
          conflict={conflict}
          isBusy={isBusy}
          onTake={edit.take}
          onReplace={(base) => void (base === undefined ? edit.recreate() : edit.save(base))}
        />
      )}
      <ProfileField text={text} onInput={setText} />
      <Failure text={failure} />
      <div class="bar wide">
        <button class="main" type="submit" disabled={isBusy || readJsonObject(text) === undefined}>
          Save
        </button>
        <ConfirmButton
          id="delete-profile"
          opener={{ text: "Delete …", class: "danger" }}
          question={{
            title: `Delete ${name}`,
            text: `No run can start as ${name} any more. Runs that have started keep its settings.`,
            no: "Keep it",
            yes: "Delete the profile",
          }}
          isBusy={isBusy}
          onConfirm={() => void edit.remove()}
        />
      </div>
    </form>
  )
}

const places = { "built-in": "It is built in.", config: "It is in the configuration file: change it there." } as const

/** One profile: those of the store can be edited. */
export const ProfileEditor = ({ name }: { readonly name: string }) => {
  const { answer, failure } = useAnswer(`${name} ${profileChanges.value}`, () => server.profile(name))
  if (answer === undefined || answer.id !== name) return <p class="empty">{failure ?? "Reading the profile …"}</p>
  const { source, version, profile } = answer
  return (
    <>
      <h2>{name}</h2>
      {source === "store" ? (
        <EditProfile key={`${name} ${version}`} agent={answer} />
      ) : (
        <>
          <p class="quiet">{places[source]}</p>
          <pre class="code" tabIndex={0} aria-label={`Settings of ${name}`}>
            {jsonText(profile)}
          </pre>
        </>
      )}
    </>
  )
}
