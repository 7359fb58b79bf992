export type Option = { readonly value: string; readonly label: string }

/** Values of a list that can be chosen together. */
export function ManyOptions({
  label,
  options,
  value,
  onChange,
}: {
  label: string
  options: readonly Option[]
  value: readonly string[]
  onChange: (value: readonly string[]) => void
}) {
  if (options.length === 0) return <span class="quiet">There is nothing to choose.</span>
  return (
    <div class="options" tabIndex={0} role="group" aria-label={label}>
      {options.map((option) => (
        <label key={option.value} class="option">
          <input
            type="checkbox"
            checked={value.includes(option.value)}
            onChange={(event) =>
              onChange(
                event.currentTarget.checked
                  ? [...value, option.value]
                  : value.filter((one) => one !== option.value),
              )
            }
          />
          <span class="wrap">{option.label}</span>
        </label>
      ))}
    </div>
  )
}
