import { useState } from "preact/hooks"
import type { AgentListItem } from "../../contracts/http/agents.ts"
import { server } from "../api/server.ts"
import { useAnswer } from "../parts/use-answer.ts"
import { prose } from "../shown/prose.ts"
import { profileLink, profilesLink } from "../state/address.ts"
import { profileChanges, profileNews } from "../state/profiles.ts"
import { CreateProfile } from "./create-profile.tsx"
import { ProfileEditor } from "./profile-editor.tsx"

const sources = { "built-in": "built in", config: "configuration file", store: "store" } as const

const ProfileRow = ({ agent }: { readonly agent: AgentListItem }) => (
  <li class="agent">
    <a href={profileLink(agent.id)}>{agent.id}</a>
    <span>{sources[agent.source]}</span>
    <span class="quiet">
      {agent.type} · {agent.active} active{agent.description === null ? "" : ` · ${prose(agent.description)}`}
    </span>
  </li>
)

const ProfileList = () => {
  const [isCreating, setCreating] = useState(false)
  const { answer, failure } = useAnswer(String(profileChanges.value), server.profiles)
  return (
    <>
      <h2>Profiles</h2>
      {answer === undefined ? (
        <p class="empty">{failure ?? "Reading the profiles …"}</p>
      ) : (
        <ul class="agents">
          {answer.items.map((agent) => (
            <ProfileRow key={agent.id} agent={agent} />
          ))}
        </ul>
      )}
      {isCreating ? (
        <CreateProfile onClose={() => setCreating(false)} />
      ) : (
        <button onClick={() => setCreating(true)}>New profile</button>
      )}
    </>
  )
}

/** The profiles that runs can start as. A token with the scope admin can change those of the store; the server says so to any other. */
export const ProfilesPane = ({ name }: { readonly name: string | undefined }) => (
  <section id="profiles" aria-label="Profiles">
    <p role="status">{profileNews.value}</p>
    {name === undefined ? (
      <ProfileList />
    ) : (
      <>
        <p>
          <a href={profilesLink}>All profiles</a>
        </p>
        <ProfileEditor key={name} name={name} />
      </>
    )}
  </section>
)
