/** How much of a limit is used, as a bar and in words. */
export const Meter = ({
  name,
  used,
  limit,
  text,
}: {
  readonly name: string
  readonly used: number
  readonly limit: number | null
  readonly text: string
}) => {
  const share = limit === null || limit === 0 ? 0 : Math.min(1, used / limit)
  return (
    <div class={`meter ${share >= 0.9 ? "full" : ""}`}>
      <span class="quiet">{name}</span> <span>{text}</span>
      {limit !== null && (
        <div
          class="bar"
          role="meter"
          aria-label={`${name} used`}
          aria-valuemin={0}
          aria-valuemax={100}
          aria-valuenow={Math.round(share * 100)}
          aria-valuetext={text}
        >
          <div style={{ width: `${share * 100}%` }} />
        </div>
      )}
    </div>
  )
}
