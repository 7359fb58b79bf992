/** Numbers by name, the largest first, each with a bar and written out. */
export function Bars({ label, numbers }: { label: string; numbers: ReadonlyMap<string, number> }) {
  const shown = [...numbers].toSorted(([, one], [, other]) => other - one)
  const most = Math.max(1, ...numbers.values())
  return (
    <ul class="bars" aria-label={label}>
      {shown.map(([name, number]) => (
        <li key={name}>
          <span class="wrap">{name}</span>
          <span class="bar" style={{ width: `${(100 * number) / most}%` }} />
          <b>{number}</b>
        </li>
      ))}
    </ul>
  )
}
