import { jsonText } from "../shown/json-text.ts"
import type { Agent } from "../../contracts/http/agents.ts"
import { prose } from "../shown/prose.ts"

/** What was there when a change was refused: the version of someone else, or nothing. */
export type Conflict = { readonly kind: "changed"; readonly current: Agent } | { readonly kind: "deleted" }

/** Says that someone else was faster, shows what they made, and leaves the decision to the person. */
export const ProfileConflict = ({
  name,
  conflict,
  isBusy,
  onTake,
  onReplace,
}: {
  readonly name: string
  readonly conflict: Conflict
  readonly isBusy: boolean
  readonly onTake: () => void
  readonly onReplace: (version: number | undefined) => void
}) => {
  if (conflict.kind === "deleted")
    return (
      <div class="card wide" role="alert">
        <p>
          <strong>Someone has deleted {name} since you read it.</strong> Nothing was changed; your text is below.
        </p>
        <button type="button" disabled={isBusy} onClick={() => onReplace(undefined)}>
          Create it again with my text
        </button>
      </div>
    )
  const { current } = conflict
  const { version, updated_by: by, updated_at: at } = current
  return (
    <div class="card wide" role="alert">
      <p>
        <strong>
          {prose(by ?? "Someone")} has changed {name} since you read it
        </strong>{" "}
        (version {version}, {at}). Nothing was changed by you; your text is below.
      </p>
      <pre class="code" tabIndex={0} aria-label={`Version ${version} of ${name}`}>
        {jsonText(current.profile)}
      </pre>
      <div class="bar">
        <button type="button" disabled={isBusy} onClick={onTake}>
          Take that version
        </button>
        <button type="button" class="danger" disabled={isBusy} onClick={() => onReplace(version ?? undefined)}>
          Replace it with my text
        </button>
      </div>
    </div>
  )
}
