// Users to choose from. The API searches them: there may be thousands.
import { useRef, useState } from "preact/hooks"
import { type User, userOf, useUsers } from "../api/people.ts"
import { useSettled } from "./list.tsx"
import { ManyOptions, type Option } from "./options.tsx"

const SHOWN = 20

/**
 * The first users that fit a search. While the answer to it is on its way, those of the last one whose names have its letters:
 * a choice must never be of somebody whom the letters do not mean.
 */
export function useFoundUsers(search: string): readonly User[] {
  const settled = useSettled(search)
  const { data } = useUsers({ search: settled, paginationOptions: { limit: String(SHOWN) } })
  const last = useRef<readonly User[]>([])
  if (data !== undefined) last.current = data.users
  if (data !== undefined && settled === search) return last.current
  const letters = search.trim().toLowerCase()
  return last.current.filter(({ userName }) => userName.toLowerCase().includes(letters))
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
