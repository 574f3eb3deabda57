import { decisionPlaces, waitingCount } from "../state/approvals.ts"
import { keptSet } from "../state/kept.ts"

/** The calls that a person has seen: this browser folds them. */
export const viewed = keptSet("viewed")

export const setViewed = (place: string, isViewed: boolean): void => {
  const others = [...viewed.value].filter((each) => each !== place)
  viewed.value = new Set(isViewed ? [...others, place] : others)
}

/** What the call is about, and which of all decisions it is: it stays in sight while its change is read. */
export const CallHead = ({
  about,
  id,
  place,
  isViewed,
}: {
  readonly about: string
  /** Of the call: notices of other calls name it. */
  readonly id: string
  readonly place: string
  readonly isViewed: boolean
}) => {
  const at = decisionPlaces.value.get(place)
  return (
    <div class="call-head">
      <strong>{about}</strong>
      {at !== undefined && (
        <span class="quiet">
          {at} of {waitingCount.value} · {id}
        </span>
      )}
      <label>
        <input
          type="checkbox"
          checked={isViewed}
          aria-label={`Viewed: ${about}`}
          onChange={(event) => setViewed(place, event.currentTarget.checked)}
        />{" "}
        viewed
      </label>
    </div>
  )
}
