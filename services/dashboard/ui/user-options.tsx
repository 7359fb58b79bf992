// Users to choose from. The API searches them: there may be thousands.
import { useRef, useState } from "preact/hooks"
import { type User, userOf, useUsers } from "../api/people.ts"
import { useSettled } from "./list.tsx"
import { ManyOptions, type Option } from "./options.tsx"

const SHOWN = 20

/** The first users that fit a search; the last ones that came while the next are read. */
function useFoundUsers(search: string): readonly User[] {
  const { data } = useUsers({ search: useSettled(search), paginationOptions: { limit: String(SHOWN) } })
  const last = useRef<readonly User[]>([])
  if (data !== undefined) last.current = data.users
  return last.current
}

const optionOf = (id: string): Option => ({ value: id, label: userOf(id)?.userName ?? id })

/** The users that fit a search, and above them the chosen ones that do not. */
export function ManyUsers({
  label,
  value,
  onChange,
}: {
  label: string
  value: readonly string[]
  onChange: (value: readonly string[]) => void
}) {
  const [search, setSearch] = useState("")
  const found = useFoundUsers(search)
  const others = value.filter((id) => !found.some(({ userId }) => userId === id))
  return (
    <>
      <input
        type="text"
        aria-label={`Search: ${label}`}
        placeholder="Search by name, address or id"
        autocomplete="off"
        value={search}
        onInput={(event) => setSearch(event.currentTarget.value)}
      />
      <ManyOptions
        label={label}
        options={[
          ...others.map(optionOf),
          ...found.map(({ userId, userName }) => ({ value: userId, label: userName })),
        ]}
        value={value}
        onChange={onChange}
      />
    </>
  )
}

/** A field for one user. */
export function OneUser({
  label,
  value,
  onChange,
}: {
  label: string
  value: string
  onChange: (value: string) => void
}) {
  const [search, setSearch] = useState("")
  const found = useFoundUsers(search)
  const isFound = found.some(({ userId }) => userId === value)
  return (
    <>
      <label class="field">
        <span class="small quiet">Search users</span>
        <input type="text" value={search} onInput={(event) => setSearch(event.currentTarget.value)} />
      </label>
      <label class="field">
        <span class="small quiet">{label}</span>
        <select value={value} onChange={(event) => onChange(event.currentTarget.value)}>
          {!isFound && <option value={value}>{optionOf(value).label}</option>}
          {found.map(({ userId, userName }) => (
            <option key={userId} value={userId}>
              {userName}
            </option>
          ))}
        </select>
      </label>
    </>
  )
}
