/** A field of the form, with what happens if it is left out. */
export const Field = ({
  name,
  label,
  note,
  value,
  options = [],
  ...input
}: {
  readonly name: string
  readonly label: string
  readonly note: string
  /** What the form begins with. */
  readonly value: string | undefined
  /** What is offered. Something else can be written. */
  readonly options?: readonly { readonly value: string; readonly note: string }[]
  readonly type?: "number"
  readonly min?: number
  readonly max?: number
  readonly step?: "any"
}) => (
  <div class="field">
    <label for={`start-${name}`}>{label}</label>
    <input
      id={`start-${name}`}
      name={name}
      aria-describedby={`start-${name}-note`}
      defaultValue={value}
      {...(options.length === 0 ? {} : { list: `start-${name}-options` })}
      {...input}
    />
    {options.length > 0 && (
      <datalist id={`start-${name}-options`}>
        {options.map((option) => (
          <option key={option.value} value={option.value} label={option.note} />
        ))}
      </datalist>
    )}
    <span class="quiet" id={`start-${name}-note`}>
      {note}
    </span>
  </div>
)
