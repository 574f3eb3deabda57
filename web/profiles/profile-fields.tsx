import { readJsonObject } from "../shown/json-text.ts"

/** The settings of a profile as JSON; what is wrong with the text is said below it. */
export const ProfileField = ({
  text,
  onInput,
}: {
  readonly text: string
  readonly onInput: (text: string) => void
}) => (
  <div class="field wide">
    <label for="profile-settings">Settings, as JSON with the keys of the configuration file</label>
    <textarea
      id="profile-settings"
      class="code"
      rows={Math.min(30, text.split("\n").length + 1)}
      value={text}
      required
      onInput={(event) => onInput(event.currentTarget.value)}
    />
    {readJsonObject(text) === undefined && (
      <p class="failure" role="alert">
        This is not a JSON object.
      </p>
    )}
  </div>
)

export const Failure = ({ text }: { readonly text: string | undefined }) =>
  text === undefined ? null : (
    <p class="failure wide" role="alert">
      {text}
    </p>
  )
