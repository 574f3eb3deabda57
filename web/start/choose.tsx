import type { AgentListItem, Choices } from "../../contracts/http/agents.ts"
import type { Session } from "../../contracts/session/session.ts"
import { server } from "../api/server.ts"
import { useAnswer } from "../parts/use-answer.ts"
import { prose } from "../shown/prose.ts"
import { sessions } from "../state/sessions.ts"
import { Field } from "./field.tsx"

const mostDirectories = 20

/** Returns the directories in which runs can work: the workspaces, and where the listed sessions worked. */
export const directoriesOf = (
  workspaces: readonly string[],
  worked: readonly Pick<Session, "cwd">[],
): readonly string[] => [...new Set([...workspaces, ...worked.map(({ cwd }) => cwd)])].slice(0, mostDirectories)

/** Returns a model as the list shows it: which one it is, and its price. */
export const modelNote = ({
  provider,
  model,
  input_usd: input,
  output_usd: output,
}: Choices["models"][number]): string =>
  `${provider}/${model}${input === null || output === null ? "" : `, $${input} in, $${output} out per million tokens`}`

const Agent = ({
  agents,
  value,
}: {
  readonly agents: readonly AgentListItem[]
  readonly value: string | undefined
}) => (
  <div class="field">
    <label for="start-agent">Agent</label>
    <select id="start-agent" name="agent" aria-describedby="start-agent-note">
      <option value="">general, the default</option>
      {agents
        .filter(({ id }) => id !== "general")
        .map(({ id, description }) => (
          <option key={id} value={id} selected={id === value}>
            {description === null ? id : `${id}: ${prose(description)}`}
          </option>
        ))}
    </select>
    <span class="quiet" id="start-agent-note">
      The profile that the run has
    </span>
  </div>
)

/** The agent, the model and the directory of a new run, chosen from what the server knows. */
export const Choose = ({ draft }: { readonly draft: Readonly<Record<string, string>> }) => {
  const { answer, failure } = useAnswer("choices", () => Promise.all([server.profiles(), server.choices()]))
  const [agents, choices] = answer ?? [{ items: [] }, { models: [], workspaces: [] }]
  return (
    <>
      <Agent agents={agents.items} value={draft["agent"]} />
      <Field
        name="model"
        label="Model"
        note={failure ?? "Otherwise that of the agent"}
        value={draft["model"]}
        options={choices.models.map((model) => ({ value: model.name, note: modelNote(model) }))}
      />
      <Field
        name="cwd"
        label="Directory"
        note={`Absolute path; otherwise ${choices.workspaces[0] ?? "the first workspace"}`}
        value={draft["cwd"]}
        options={directoriesOf(choices.workspaces, sessions.value ?? []).map((value) => ({ value, note: "" }))}
      />
    </>
  )
}
